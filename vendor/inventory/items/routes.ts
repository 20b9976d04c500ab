/**
 * Stock items for staff.
 */
import { resource, route } from '@carton/runtime';
import { insufficientStock } from '../problems.ts';
import {
  AdjustStock,
  ChangeStockItem,
  StockAdjustment,
  StockItem,
  StockItemPage,
  StockItemQuery,
  StockMovementPage,
  StockMovementQuery,
} from './schemas.ts';
import { adjustStock, changeStockItem, listStockItems, readStockItem } from './service.ts';
import { listMovements } from './store.ts';

const common = { tag: 'Stock', access: 'staff' } as const;

export const stockItemRoutes = resource({
  ...common,
  path: '/admin/stock-items',
  noun: 'stock item',
  item: StockItem,
  list: {
    summary: 'List stock items',
    description: 'Newest first. A page may have fewer items than `limit` even if another page follows.',
    query: StockItemQuery,
    page: StockItemPage,
    run: ({ db, query }) => listStockItems(db, query),
  },
  read: {
    summary: 'Read a stock item',
    run: ({ db, params }) => readStockItem(db, params.id),
  },
  change: {
    summary: 'Update a stock item',
    body: ChangeStockItem,
    run: ({ db, params, body }) => changeStockItem(db, params.id, body),
  },
});

export const createStockAdjustment = route(
  {
    ...common,
    method: 'post',
    path: '/admin/stock-items/:id/adjustments',
    operationId: 'createStockAdjustment',
    summary: 'Add or remove stock',
    idempotent: true,
    body: AdjustStock,
    status: 201,
    response: StockAdjustment,
    problems: [insufficientStock],
  },
  ({ db, params, body }) => adjustStock(db, params.id, body),
);

export const listStockMovements = route(
  {
    ...common,
    method: 'get',
    path: '/admin/stock-items/:id/movements',
    operationId: 'listStockMovements',
    summary: 'List the movements of a stock item, newest first',
    query: StockMovementQuery,
    status: 200,
    response: StockMovementPage,
  },
  async ({ db, params, query }) => {
    const { id } = await readStockItem(db, params.id);
    return listMovements(db, query, { stockItemId: id });
  },
);

/**
 * Stock as staff keep it.
 */
import { resource, route } from '@carton/runtime';
import { adjustStock, changeStockItem, listStockItems, readStockItem } from '../items.ts';
import {
  AdjustStock,
  ChangeStockItem,
  StockAdjustment,
  StockItem,
  StockItemPage,
  StockItemQuery,
  StockMovementPage,
  StockMovementQuery,
  StockReservationPage,
  StockReservationQuery,
} from '../schemas.ts';
import { insufficientStock } from '../service.ts';
import { listMovements, listReservations } from '../store.ts';

const common = { tag: 'Stock', access: 'staff' } as const;

export const stockItemRoutes = resource({
  ...common,
  path: '/admin/stock-items',
  noun: 'stock item',
  item: StockItem,
  list: {
    summary: 'List the stock of variants',
    description: 'Newest first. A page may hold fewer items than asked for although another follows.',
    query: StockItemQuery,
    page: StockItemPage,
    run: ({ db, query }) => listStockItems(db, query),
  },
  read: {
    summary: 'Read how many of a variant are on hand, reserved and available',
    run: ({ db, params }) => readStockItem(db, params.id),
  },
  change: {
    summary: 'Change tracking, back-order policy or low-stock level',
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
    summary: 'Add or take away stock, with a reason',
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

export const listStockReservations = route(
  {
    ...common,
    method: 'get',
    path: '/admin/stock-reservations',
    operationId: 'listStockReservations',
    summary: 'List the reservations that stand',
    query: StockReservationQuery,
    status: 200,
    response: StockReservationPage,
  },
  ({ db, query }) => listReservations(db, query),
);

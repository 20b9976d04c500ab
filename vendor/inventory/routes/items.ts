/**
 * Stock as staff keep it.
 */
import { externalIdTaken, route } from '@carton/runtime';
import { adjustStock, changeStockItem, stockItem, stockItems } from '../items.ts';
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

const tag = 'Stock';

export const listStockItems = route(
  {
    method: 'get',
    path: '/admin/stock-items',
    operationId: 'listStockItems',
    tag,
    summary: 'List the stock of variants',
    description: 'Newest first. A page may hold fewer items than asked for although another follows.',
    access: 'staff',
    query: StockItemQuery,
    status: 200,
    response: StockItemPage,
  },
  ({ db, query }) => stockItems(db, query),
);

export const readStockItem = route(
  {
    method: 'get',
    path: '/admin/stock-items/:id',
    operationId: 'readStockItem',
    tag,
    summary: 'Read how many of a variant are on hand, reserved and available',
    access: 'staff',
    status: 200,
    response: StockItem,
  },
  ({ db, params }) => stockItem(db, params.id),
);

export const updateStockItem = route(
  {
    method: 'patch',
    path: '/admin/stock-items/:id',
    operationId: 'updateStockItem',
    tag,
    summary: 'Change tracking, back-order policy or low-stock level',
    access: 'staff',
    body: ChangeStockItem,
    status: 200,
    response: StockItem,
    problems: [externalIdTaken],
  },
  ({ db, params, body }) => changeStockItem(db, params.id, body),
);

export const createStockAdjustment = route(
  {
    method: 'post',
    path: '/admin/stock-items/:id/adjustments',
    operationId: 'createStockAdjustment',
    tag,
    summary: 'Add or take away stock, with a reason',
    access: 'staff',
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
    method: 'get',
    path: '/admin/stock-items/:id/movements',
    operationId: 'listStockMovements',
    tag,
    summary: 'List the movements of a stock item, newest first',
    access: 'staff',
    query: StockMovementQuery,
    status: 200,
    response: StockMovementPage,
  },
  async ({ db, params, query }) => {
    const { id } = await stockItem(db, params.id);
    return listMovements(db, id, query);
  },
);

export const listStockReservations = route(
  {
    method: 'get',
    path: '/admin/stock-reservations',
    operationId: 'listStockReservations',
    tag,
    summary: 'List the reservations that stand',
    access: 'staff',
    query: StockReservationQuery,
    status: 200,
    response: StockReservationPage,
  },
  ({ db, query }) => listReservations(db, query),
);

/**
 * Reservations for staff.
 */
import { route } from '@carton/runtime';
import { StockReservationPage, StockReservationQuery } from './schemas.ts';
import { listReservations } from './store.ts';

export const listStockReservations = route(
  {
    tag: 'Stock',
    access: 'staff',
    method: 'get',
    path: '/admin/stock-reservations',
    operationId: 'listStockReservations',
    summary: 'List stock reservations',
    query: StockReservationQuery,
    status: 200,
    response: StockReservationPage,
  },
  ({ db, query }) => listReservations(db, query),
);

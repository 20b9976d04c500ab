/**
 * Carts for staff.
 */
import { route, withOverrides } from '@carton/runtime';
import { AdminCart, AdminCartPage, AdminCartQuery, adminCartSchema } from '../schemas.ts';
import { readAdminCart as read } from './service.ts';
import { listCarts } from './store.ts';

const tag = 'Carts';

export const listAdminCarts = route(
  {
    method: 'get',
    path: '/admin/carts',
    operationId: 'listAdminCarts',
    tag,
    summary: 'List carts, newest first',
    access: 'staff',
    query: AdminCartQuery,
    status: 200,
    response: AdminCartPage,
  },
  ({ db, query }) => listCarts(db, query),
);

export const readAdminCart = withOverrides(
  route(
    {
      method: 'get',
      path: '/admin/carts/:id',
      operationId: 'readAdminCart',
      tag,
      summary: 'Read a cart at current prices',
      access: 'staff',
      status: 200,
      response: AdminCart,
    },
    ({ db, params }) => read(db, params.id),
  ),
  (box) => ({ response: adminCartSchema(box) }),
);

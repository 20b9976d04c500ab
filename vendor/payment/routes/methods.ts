/**
 * Payment methods and refunds, as staff see them.
 */
import { route } from '@carton/runtime';
import { changeMethod, listMethods } from '../methods.ts';
import {
  AdminPaymentMethod,
  AdminPaymentMethodList,
  ChangePaymentMethod,
  RefundPage,
  RefundQuery,
} from '../schemas.ts';
import { listRefunds as list } from '../service.ts';

const tag = 'Payments';

export const listAdminPaymentMethods = route(
  {
    method: 'get',
    path: '/admin/payment-methods',
    operationId: 'listAdminPaymentMethods',
    tag,
    summary: "List the adapters' methods and their state",
    access: 'staff',
    status: 200,
    response: AdminPaymentMethodList,
  },
  async ({ db }) => ({ items: await listMethods(db) }),
);

export const updatePaymentMethod = route(
  {
    method: 'patch',
    path: '/admin/payment-methods/:id',
    operationId: 'updatePaymentMethod',
    tag,
    summary: 'Switch a method on or off, order it, set how it is captured',
    description: 'Orders and payments that stand are not touched. One that was switched off places no further order.',
    access: 'staff',
    body: ChangePaymentMethod,
    status: 200,
    response: AdminPaymentMethod,
  },
  ({ db, params, body }) => changeMethod(db, params.id, body),
);

export const listRefunds = route(
  {
    method: 'get',
    path: '/admin/refunds',
    operationId: 'listRefunds',
    tag,
    summary: 'List refunds, newest first',
    access: 'staff',
    query: RefundQuery,
    status: 200,
    response: RefundPage,
  },
  ({ db, query }) => list(db, query),
);

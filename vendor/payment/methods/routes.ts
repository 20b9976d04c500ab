/**
 * Routes of payment methods for staff.
 */
import { route } from '@carton/runtime';
import { AdminPaymentMethod, AdminPaymentMethodList, ChangePaymentMethod } from './schemas.ts';
import { changeMethod, listMethods } from './service.ts';

const common = { tag: 'Payments', access: 'staff' } as const;

export const listAdminPaymentMethods = route(
  {
    ...common,
    method: 'get',
    path: '/admin/payment-methods',
    operationId: 'listAdminPaymentMethods',
    summary: 'List the payment methods and their settings',
    status: 200,
    response: AdminPaymentMethodList,
  },
  async ({ db }) => ({ items: await listMethods(db) }),
);

export const updatePaymentMethod = route(
  {
    ...common,
    method: 'patch',
    path: '/admin/payment-methods/:id',
    operationId: 'updatePaymentMethod',
    summary: 'Change whether a payment method is offered, its position, capture mode, name and instructions',
    description: 'Existing orders and payments do not change. A disabled method cannot be used for further orders.',
    body: ChangePaymentMethod,
    status: 200,
    response: AdminPaymentMethod,
  },
  ({ db, params, body }) => changeMethod(db, params.id, body),
);

/**
 * Routes of the shipping of orders, for staff.
 */
import { route } from '@carton/runtime';
import { OrderShippingMethods } from './schemas.ts';
import { findOrderShipping } from './service.ts';

export const listOrderShippingMethods = route(
  {
    method: 'get',
    path: '/admin/orders/:id/shipping-methods',
    beyond: true,
    operationId: 'listOrderShippingMethods',
    tag: 'Shipping',
    summary: 'List the shipping options chosen for an order',
    access: 'staff',
    status: 200,
    response: OrderShippingMethods,
  },
  ({ db, params }) => findOrderShipping(db, params.id),
);

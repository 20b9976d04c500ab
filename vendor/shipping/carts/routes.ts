/**
 * Routes of the shipping of carts.
 */
import { Cart, cartSchema } from '@carton/cart';
import { route, withOverrides } from '@carton/runtime';
import { shippingOptionUnavailable } from '../problems.ts';
import { AdminCartShippingOptions, CartShippingOptions, ChooseShippingMethod } from './schemas.ts';
import { chooseMethod, explainCartOptions, listCartOptions } from './service.ts';

const tag = 'Shipping';

export const listCartShippingOptions = route(
  {
    method: 'get',
    path: '/cart/shipping-options',
    operationId: 'listCartShippingOptions',
    tag,
    summary: 'List the shipping options of the cart at their final prices',
    description: 'Goods of each profile are shipped by an option of their own.',
    access: 'session',
    status: 200,
    response: CartShippingOptions,
  },
  ({ db, session }) => listCartOptions(db, session),
);

export const setCartShippingMethod = withOverrides(
  route(
    {
      method: 'put',
      path: '/cart/shipping-method',
      operationId: 'setCartShippingMethod',
      tag,
      summary: 'Choose a shipping option for the goods of its profile',
      access: 'session',
      body: ChooseShippingMethod,
      status: 200,
      response: Cart,
      problems: [shippingOptionUnavailable],
    },
    ({ body, ...shopper }) => chooseMethod(shopper, body),
  ),
  (box) => ({ response: cartSchema(box) }),
);

export const listAdminCartShippingOptions = route(
  {
    method: 'get',
    path: '/admin/carts/:id/shipping-options',
    beyond: true,
    operationId: 'listAdminCartShippingOptions',
    tag,
    summary: 'Explain which shipping options a cart is offered, and why not the others',
    access: 'staff',
    status: 200,
    response: AdminCartShippingOptions,
  },
  ({ db, params }) => explainCartOptions(db, params.id),
);

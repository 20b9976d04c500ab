/**
 * The cart of the shopper who calls.
 */
import { route } from '@carton/runtime';
import { Cart, ChangeCart, SetCartAddress } from '../schemas.ts';
import { changeAddress, changeCart, emptyCart as empty, readCart as read } from '../service.ts';

const tag = 'Cart';
const access = 'session';

export const readCart = route(
  {
    method: 'get',
    path: '/cart',
    operationId: 'readCart',
    tag,
    summary: 'Read the active cart, priced as of now',
    description:
      'An empty cart, with `id` null, when nothing was put into one. What can no longer be ordered says why.',
    access,
    status: 200,
    response: Cart,
  },
  ({ db, session }) => read(db, session),
);

export const updateCart = route(
  {
    method: 'patch',
    path: '/cart',
    operationId: 'updateCart',
    tag,
    summary: 'Set region, currency, e-mail or note of the cart',
    access,
    body: ChangeCart,
    status: 200,
    response: Cart,
  },
  ({ db, session, body }) => changeCart(db, session, body),
);

export const emptyCart = route(
  {
    method: 'delete',
    path: '/cart',
    operationId: 'emptyCart',
    tag,
    summary: 'Take everything out of the cart',
    description: 'Region, e-mail, note and addresses stay.',
    access,
    status: 204,
  },
  ({ db, session }) => empty(db, session),
);

export const setCartShippingAddress = route(
  {
    method: 'put',
    path: '/cart/shipping-address',
    operationId: 'setCartShippingAddress',
    tag,
    summary: 'Set where the cart is to be sent',
    access,
    body: SetCartAddress,
    status: 200,
    response: Cart,
  },
  ({ db, session, body }) => changeAddress(db, session, 'shipping', body),
);

export const setCartBillingAddress = route(
  {
    method: 'put',
    path: '/cart/billing-address',
    operationId: 'setCartBillingAddress',
    tag,
    summary: 'Set whom the cart is billed to',
    access,
    body: SetCartAddress,
    status: 200,
    response: Cart,
  },
  ({ db, session, body }) => changeAddress(db, session, 'billing', body),
);

/**
 * Items of the caller's cart.
 */
import { insufficientStock } from '@carton/inventory';
import { route, withOverrides } from '@carton/runtime';
import { cartFull, quantityLimit, variantNotFound, variantNotPriced } from '../problems.ts';
import { AddCartItem, Cart, ChangeCartItem, cartSchema, ReplaceCartItems } from '../schemas.ts';
import { replaceItems } from './replacing.ts';
import { addItem, changeItem, removeAllItems, removeItem } from './service.ts';

const tag = 'Cart';
const access = 'session';

export const addCartItem = withOverrides(
  route(
    {
      method: 'post',
      path: '/cart/items',
      operationId: 'addCartItem',
      tag,
      summary: 'Add a variant to the cart',
      description:
        'Adds to an existing line with the same variant and properties, if any. The first write starts a session.',
      access,
      idempotent: true,
      body: AddCartItem,
      // Properties at their longest, also where a client escapes their characters.
      bodyLimit: 128 * 1024,
      status: 201,
      response: Cart,
      location: '/cart',
      problems: [variantNotFound, variantNotPriced, insufficientStock, quantityLimit, cartFull],
    },
    ({ body, ...shopper }) => addItem(shopper, body),
  ),
  (box) => ({ response: cartSchema(box) }),
);

export const replaceCartItems = withOverrides(
  route(
    {
      method: 'put',
      path: '/cart/items',
      operationId: 'replaceCartItems',
      tag,
      summary: 'Replace all items of the cart',
      description:
        'All or nothing: if any item cannot be ordered, the cart stays as it was, and `errors` has a pointer for each ' +
        'such item; `code` is that of the first. Items with the same variant and properties as before keep their id.',
      access,
      body: ReplaceCartItems,
      // 500 lines, with properties of some hundred characters each.
      bodyLimit: 256 * 1024,
      status: 200,
      response: Cart,
      problems: [variantNotFound, variantNotPriced, insufficientStock, quantityLimit],
      beyond: true,
    },
    ({ body, ...shopper }) => replaceItems(shopper, body),
  ),
  (box) => ({ response: cartSchema(box) }),
);

export const updateCartItem = withOverrides(
  route(
    {
      method: 'patch',
      path: '/cart/items/:id',
      operationId: 'updateCartItem',
      tag,
      summary: 'Change the quantity of an item',
      access,
      body: ChangeCartItem,
      status: 200,
      response: Cart,
      problems: [variantNotFound, variantNotPriced, insufficientStock, quantityLimit],
    },
    ({ params, body, ...shopper }) => changeItem(shopper, params.id, body),
  ),
  (box) => ({ response: cartSchema(box) }),
);

export const removeCartItem = route(
  {
    method: 'delete',
    path: '/cart/items/:id',
    operationId: 'removeCartItem',
    tag,
    summary: 'Remove an item from the cart',
    access,
    status: 204,
  },
  ({ db, session, params }) => removeItem(db, session, params.id),
);

export const emptyCart = route(
  {
    method: 'delete',
    path: '/cart',
    operationId: 'emptyCart',
    tag,
    summary: 'Remove all items from the cart',
    description: 'Region, e-mail, note and addresses remain.',
    access,
    status: 204,
  },
  ({ db, session }) => removeAllItems(db, session),
);

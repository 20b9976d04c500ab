/**
 * The caller's cart.
 */
import { route, tooManyRequests, withOverrides } from '@carton/runtime';
import { countryNotServed } from '../problems.ts';
import { Cart, ChangeCart, cartSchema, SetCartAddress } from '../schemas.ts';
import { changeAddress, changeCart, readCart as read } from './service.ts';

const tag = 'Cart';
const access = 'session';

export const readCart = withOverrides(
  route(
    {
      method: 'get',
      path: '/cart',
      operationId: 'readCart',
      tag,
      summary: 'Read the active cart at current prices',
      description:
        'Returns an empty cart with `id` null if the shopper has none. Lines that can no longer be ordered have `issues`.',
      access,
      status: 200,
      response: Cart,
    },
    (shopper) => read(shopper),
  ),
  (box) => ({ response: cartSchema(box) }),
);

export const updateCart = withOverrides(
  route(
    {
      method: 'patch',
      path: '/cart',
      operationId: 'updateCart',
      tag,
      summary: 'Update the region, currency, locale, e-mail, note or tax number of the cart',
      description:
        'A region sets the currency of the cart; `country` chooses the region that sells to it, and is the country for ' +
        'taxes and shipping until there is an address. A chosen region stays until another is chosen; `regionId: null` ' +
        'has it follow the address. Another region or ' +
        'currency changes the prices of all items at once: the response has the new prices. Items without a price in ' +
        'the new currency stay in the cart with the issue `unpriced`, and the cart cannot be ordered until they are ' +
        'removed or the currency changes back.',
      access,
      body: ChangeCart,
      status: 200,
      response: Cart,
      problems: [countryNotServed, tooManyRequests],
    },
    ({ body, ...shopper }) => changeCart(shopper, body),
  ),
  (box) => ({ response: cartSchema(box) }),
);

export const setCartShippingAddress = withOverrides(
  route(
    {
      method: 'put',
      path: '/cart/shipping-address',
      operationId: 'setCartShippingAddress',
      tag,
      summary: "Set the cart's shipping address",
      description:
        'Without a chosen region, the cart gets the one that sells to the country of the address. If that changes the ' +
        'currency, all items are priced again, and the cart has the issue `currency_changed` until it is accepted.',
      access,
      body: SetCartAddress,
      status: 200,
      response: Cart,
    },
    ({ body, ...shopper }) => changeAddress(shopper, 'shipping', body),
  ),
  (box) => ({ response: cartSchema(box) }),
);

export const setCartBillingAddress = withOverrides(
  route(
    {
      method: 'put',
      path: '/cart/billing-address',
      operationId: 'setCartBillingAddress',
      tag,
      summary: "Set the cart's billing address",
      access,
      body: SetCartAddress,
      status: 200,
      response: Cart,
    },
    ({ body, ...shopper }) => changeAddress(shopper, 'billing', body),
  ),
  (box) => ({ response: cartSchema(box) }),
);

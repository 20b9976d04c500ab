/**
 * Problems of carts.
 */
import { defineProblem } from '@carton/runtime';

export const variantNotFound = defineProblem({
  code: 'variant_not_found',
  status: 404,
  title: 'The variant does not exist or is not for sale',
});
export const variantNotPriced = defineProblem({
  code: 'variant_not_priced',
  status: 409,
  title: "The variant has no price in the cart's currency",
});
export const quantityLimit = defineProblem({
  code: 'quantity_limit',
  status: 409,
  title: 'The quantity is not allowed',
});
export const cartFull = defineProblem({
  code: 'cart_full',
  status: 409,
  title: 'The cart has the maximum number of lines',
});
export const countryNotServed = defineProblem({
  code: 'country_not_served',
  status: 409,
  title: "The cart's region, or the store, does not sell to the country",
});

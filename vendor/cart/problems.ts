/**
 * What can go wrong with a cart.
 */
import { defineProblem } from '@carton/runtime';

export const variantNotFound = defineProblem({
  code: 'variant_not_found',
  status: 404,
  title: 'There is no such variant for sale',
});
export const variantNotPriced = defineProblem({
  code: 'variant_not_priced',
  status: 409,
  title: "The variant has no price in the cart's currency",
});
export const quantityLimit = defineProblem({
  code: 'quantity_limit',
  status: 409,
  title: 'A line holds no more of one variant',
});
export const cartFull = defineProblem({ code: 'cart_full', status: 409, title: 'The cart holds no more lines' });
export const countryNotServed = defineProblem({
  code: 'country_not_served',
  status: 409,
  title: 'The region of the cart does not sell to the country it is to be sent to',
});

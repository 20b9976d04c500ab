/**
 * Problems of checkout.
 */
import { defineProblem, Money, nullable, object, Type, Uuid } from '@carton/runtime';

/** With the id of the order that the last cart of the shopper has become, if it has. */
export const cartEmpty = defineProblem({
  code: 'cart_empty',
  status: 409,
  title: 'The cart is empty',
  members: { orderId: Type.Optional(Uuid) },
});
export const cartNotReady = defineProblem({
  code: 'cart_not_ready',
  status: 409,
  title: 'The cart has items that cannot be ordered',
});
export const minimumOrder = defineProblem({
  code: 'minimum_order',
  status: 409,
  title: 'The goods in the cart cost less than the minimum order of the store',
});
export const postalCodeInvalid = defineProblem({
  code: 'postal_code_invalid',
  status: 409,
  title: 'This store requires a postal code, and the country does not have the one that was sent',
});
export const provinceUnknown = defineProblem({
  code: 'province_unknown',
  status: 409,
  title: 'Taxes or shipping depend on the province of the address, which is not known',
});
export const currencyChanged = defineProblem({
  code: 'currency_changed',
  status: 409,
  title: 'The prices are in another currency than the shopper has seen',
});
export const cartChanged = defineProblem({
  code: 'cart_changed',
  status: 409,
  title: 'The cart has changed since the payment started',
});
export const quoteMissing = defineProblem({
  code: 'quote_missing',
  status: 503,
  title: 'A service that computes a part of the total gives no answer',
});
export const guestCheckoutOff = defineProblem({
  code: 'guest_checkout_off',
  status: 403,
  title: 'This store accepts orders only from members',
});
export const customerDetailsMissing = defineProblem({
  code: 'customer_details_missing',
  status: 409,
  title: 'This store requires more customer details',
});
export const termsNotAccepted = defineProblem({
  code: 'terms_not_accepted',
  status: 400,
  title: 'The current terms are not accepted',
});
export const paymentRequired = defineProblem({
  code: 'payment_required',
  status: 400,
  title: 'This store requires a payment method',
});
export const unpaidUnitsLimit = defineProblem({
  code: 'unpaid_units_limit',
  status: 409,
  title: 'Too many units in unpaid orders of a guest',
  members: { limit: Type.Integer({ minimum: 1, description: 'Units that a guest may have in unpaid orders' }) },
});

const totals = object(
  { expected: nullable(Money), actual: Money },
  { description: 'The total that the shopper has seen, and the current one' },
);
export const offerChanged = defineProblem({
  code: 'offer_changed',
  status: 412,
  title: 'The offer has changed',
  members: { totals },
});
export const totalChanged = defineProblem({
  code: 'total_changed',
  status: 409,
  title: 'The total differs from the expected total',
  members: { totals },
});
export const reservationOff = defineProblem({
  code: 'reservation_off',
  status: 409,
  title: 'This store does not reserve stock before a payment starts',
});

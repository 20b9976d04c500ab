/**
 * The built-in steps of placing an order: who may order, required details and payment, and stock.
 */
import { cartProblems, countryNotServed, fieldProblems, stockSaleOf } from '@carton/cart';
import type { Store } from '@carton/core';
import { insufficientStock, type StockLine, takeStock } from '@carton/inventory';
import {
  findRefusal,
  isMethodOffered,
  paymentMethodUnavailable,
  paymentMethodUnknown,
  planTenders,
} from '@carton/payment';
import { money } from '@carton/runtime';
import { missingFields, pointerOf, requiredFields } from '../customer.ts';
import {
  cartEmpty,
  cartNotReady,
  currencyChanged,
  customerDetailsMissing,
  guestCheckoutOff,
  minimumOrder,
  paymentRequired,
  postalCodeInvalid,
  provinceUnknown,
  quoteMissing,
  termsNotAccepted,
} from '../problems.ts';
import { checkoutSettings } from '../settings.ts';
import { type Placing, type PlacingStep, placingOrder, type Requirement, tenderSaleOf } from '../steps.ts';

const shopper: PlacingStep = {
  name: 'shopper',
  order: placingOrder.shopper,
  requirements: { guest_checkout_off: guestCheckoutOff },
  require: (_, { store, shopper }) => guestRequirements(store, shopper),
};

/** The requirement that guests do not meet if the store accepts orders only from members. */
export function guestRequirements({ guestCheckout }: Store, shopper: Placing['shopper']): Requirement[] {
  const isRejected = !guestCheckout && shopper?.memberId === null;
  return isRejected ? [{ code: 'guest_checkout_off', detail: 'Sign in to order.' }] : [];
}

const cart: PlacingStep = {
  name: 'cart',
  order: placingOrder.cart,
  requirements: {
    cart_empty: cartEmpty,
    item_unavailable: cartNotReady,
    item_unpriced: cartNotReady,
    insufficient_stock: cartNotReady,
    quantity_limit: cartNotReady,
    country_not_served: countryNotServed,
    currency_changed: currencyChanged,
    minimum_order: minimumOrder,
    postal_code_invalid: postalCodeInvalid,
    province_missing: customerDetailsMissing,
    province_unknown: provinceUnknown,
  },
  require: (_, { sale, store, seenCurrency }) =>
    [...cartProblems(sale), ...(requiresPostalCode(store, sale) ? fieldProblems(sale) : [])]
      // Who names a total in the new currency has seen it.
      .filter(({ code }) => code !== currencyChanged.code || seenCurrency !== sale.sale.currency)
      .map(({ code, detail }) => {
        const error = errorsOfCart[code];
        return error ? { code, detail, errors: [{ in: 'body', ...error }] } : { code, detail };
      }),
};

function requiresPostalCode(store: Store, sale: Placing['sale']): boolean {
  return requiredFields(store, sale).includes('address.postalCode');
}

/** The fields of the body that meet requirements of the cart. */
const errorsOfCart: Readonly<Record<string, { pointer: string; detail: string }>> = {
  country_not_served: { pointer: '/customer/address', detail: 'must be in a country that the region serves' },
  currency_changed: { pointer: '/expectedTotal', detail: 'must be the total in the new currency' },
  postal_code_invalid: {
    pointer: '/customer/address/postalCode',
    detail: 'must be a postal code of the country and the province',
  },
  province_missing: {
    pointer: '/customer/address/province',
    detail: 'is required, since taxes or shipping depend on it',
  },
  province_unknown: { pointer: '/customer/address/province', detail: 'must be a province of the country' },
};

/** Quotes of services without which the store sells nothing. */
const quotes: PlacingStep = {
  name: 'quotes',
  order: placingOrder.cart,
  requirements: { quote_missing: quoteMissing },
  require: (_, { sale }) =>
    sale.missingQuotes.flatMap(({ isRequired, detail }) =>
      isRequired ? { code: 'quote_missing', detail, retryAfter: 5 } : [],
    ),
};

/** Not a requirement of a preview: its `asks` lists the missing details, which can be sent with the order. */
const customer: PlacingStep = {
  name: 'customer',
  order: placingOrder.customer,
  requirements: { customer_details_missing: customerDetailsMissing },
  require(_, { isPreview, shopper, store, sale, customer }) {
    if (isPreview || shopper === null) return [];
    const isNamed = (field: string) => field === 'address.province' && sale.issues.includes('province_missing');
    const missing = missingFields(requiredFields(store, sale), customer).filter((field) => !isNamed(field));
    if (missing.length === 0) return [];
    const errors = missing.map((field) => ({ in: 'body' as const, pointer: pointerOf(field), detail: isRequired }));
    return [{ code: 'customer_details_missing', detail: `Missing: ${missing.join(', ')}.`, errors }];
  },
};
const isRequired = 'is required by this store';

/** Not a requirement of a preview, which has `terms` instead. */
const terms: PlacingStep = {
  name: 'terms',
  order: placingOrder.customer,
  requirements: { terms_not_accepted: termsNotAccepted },
  require(_, { isPreview, shopper, store, termsVersion: accepted = null }) {
    const asked = termsOf(store);
    if (isPreview || shopper === null || asked === null) return [];
    if (accepted === asked.version || (accepted === null && !asked.required)) return [];
    const detail = accepted === null ? isRequired : `must have the version ${asked.version}`;
    const errors = [{ in: 'body' as const, pointer: '/terms', detail }];
    return [{ code: 'terms_not_accepted', detail: `Accept the terms in version ${asked.version}.`, errors }];
  },
};

/** The terms that shoppers are asked to accept; null for none. */
export function termsOf(store: Store): { version: string; required: boolean } | null {
  const { termsVersion: version, termsRequired: required } = checkoutSettings.of(store);
  return version === null ? null : { version, required };
}

/** Not a requirement of a preview, which has `paymentRequired` instead. */
const payment: PlacingStep = {
  name: 'payment',
  order: placingOrder.customer,
  requirements: { payment_required: paymentRequired },
  async require(db, placing) {
    const { isPreview, shopper, paymentMethod, sale } = placing;
    const isApplicable = !isPreview && shopper !== null && paymentMethod === null;
    if (!isApplicable || !isPaymentRequired(placing, sale.totals.total)) return [];
    const { left } = await planTenders(db, tenderSaleOf(placing));
    if (!isPaymentRequired(placing, left)) return [];
    const errors = [{ in: 'body' as const, pointer: '/paymentMethod', detail: isRequired }];
    return [{ code: 'payment_required', detail: 'Choose a payment method.', errors }];
  },
};

/** A requirement of a preview only: an order with the method is rejected when its payment starts. */
const paymentMethod: PlacingStep = {
  name: 'payment-method',
  order: placingOrder.customer,
  requirements: {
    [paymentMethodUnavailable.code]: paymentMethodUnavailable,
    [paymentMethodUnknown.code]: paymentMethodUnknown,
  },
  async require(db, placing) {
    const { isPreview, paymentMethod, sale } = placing;
    if (!isPreview || paymentMethod === null) return [];
    const findLeft = async () => {
      const { left } = await planTenders(db, tenderSaleOf(placing));
      return left === 0 ? null : money(left, sale.sale.currency);
    };
    const errorOf = (detail: string) => [{ in: 'body' as const, pointer: '/paymentMethod', detail }];
    if (!(await isMethodOffered(db, paymentMethod))) {
      // Without anything to pay, no method is looked up.
      if ((await findLeft()) === null) return [];
      const errors = errorOf('must be a payment method of the store');
      return [{ code: paymentMethodUnknown.code, detail: `${paymentMethod} is not offered.`, errors }];
    }
    const refusal = await findRefusal(db, paymentMethod, findLeft);
    if (refusal === null) return [];
    const errors = errorOf('must be able to charge this amount');
    return [{ code: paymentMethodUnavailable.code, detail: `${refusal} Choose another payment method.`, errors }];
  },
};

/** Whether a shopper has to choose a payment method. @param left the amount that tenders leave to pay, in minor units */
export function isPaymentRequired({ store }: Pick<Placing, 'store'>, left: number): boolean {
  return checkoutSettings.of(store).paymentRequired && left > 0;
}

const stock: PlacingStep = {
  name: 'stock',
  order: placingOrder.stock,
  problems: [insufficientStock],
  claim: (tx, { sale, orderId, reservation }) =>
    takeStock(
      tx,
      sale.lines.flatMap(stockLinesOf),
      { type: 'order', id: orderId },
      { reserved: reservation ?? undefined, sale: stockSaleOf(sale.sale) },
    ),
};

/** The stock that a line needs: none for a custom line. */
function stockLinesOf({ variantId, quantity }: Placing['sale']['lines'][number]): StockLine[] {
  return variantId === null ? [] : [{ variantId, quantity }];
}

export const builtInSteps: readonly PlacingStep[] = [
  shopper,
  cart,
  quotes,
  customer,
  terms,
  payment,
  paymentMethod,
  stock,
];

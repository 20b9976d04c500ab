/**
 * Settings of checkout, stored with those of the store.
 */
import { storeSettings } from '@carton/core';
import { TermsVersion } from '@carton/order';
import { takesPaymentsOnline } from '@carton/payment';
import { nullable, Type, withOptions } from '@carton/runtime';

const maxMinutes = 525_600;

/** The limit of new stores. */
const guestUnitsDefault = 100;

/** How long new stores wait for the payment of an order, if it can be paid online. */
const unpaidOrderDefault = 7 * 24 * 60;

export const checkoutProperties = {
  guestUnpaidUnits: withOptions(nullable(Type.Integer({ minimum: 1, maximum: 1_000_000 })), {
    default: null,
    description:
      'Units of tracked stock that a guest may have in unpaid orders from carts and in carts whose stock is reserved, counted by session, by e-mail address and by client address; null for no limit. An order with a discount counts as one unit at least. If it was not set, 100. Orders are limited only in boxes with a method that is paid online, and not if they are paid in full or authorized when they are placed; reservations are limited in all boxes.',
  }),
  paymentRequired: Type.Boolean({
    default: false,
    description: 'Whether orders need a payment method if anything is left to pay',
  }),
  pendingOrderMinutes: Type.Integer({
    minimum: 1,
    maximum: maxMinutes,
    default: 60,
    description:
      'Minutes after which a pending order is canceled if its payment is not authorized. A change does not affect existing orders.',
  }),
  reservationMinutes: Type.Integer({
    minimum: 0,
    maximum: maxMinutes,
    default: 15,
    description:
      'How long the stock of a cart is reserved from the start of its payment, at most until the payment expires; 0 for not at all',
  }),
  reserveAtCheckout: Type.Boolean({
    default: false,
    description:
      'Whether shoppers may reserve the stock of their cart before a payment starts (`POST /checkout/reservation`)',
  }),
  termsRequired: Type.Boolean({
    default: true,
    description: 'Whether orders from a cart need consent to the terms, if `termsVersion` is set',
  }),
  termsVersion: withOptions(nullable(TermsVersion), {
    default: null,
    description: 'Version of the terms that shoppers accept with their order (`terms`); null without terms',
  }),
  unpaidOrderMinutes: Type.Integer({
    minimum: 0,
    maximum: maxMinutes,
    default: 0,
    description:
      'Minutes after which an unpaid order from a cart is canceled, unless it is paid by hand, or staff have acted on it; 0 for never. If it was not set, a week in boxes with a method that is paid online. A change does not affect existing orders.',
  }),
};

/** Stores of before the second version of the defaults keep waiting for staff, and have no limit. */
export const checkoutSettings = storeSettings('checkout', checkoutProperties, (defaultVersion, box) =>
  defaultVersion >= 2
    ? {
        guestUnpaidUnits: guestUnitsDefault,
        ...(takesPaymentsOnline(box) && { unpaidOrderMinutes: unpaidOrderDefault }),
      }
    : {},
);

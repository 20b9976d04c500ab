/**
 * Settings of checkout, kept with those of the store.
 */
import { changeStore, findStore, type Store, StoreSettings, storeSettings } from '@carton/core';
import { changeOf, object, type Static, type TenantDatabase, Type } from '@carton/runtime';

const mostMinutes = 525_600;

export const checkoutSettings = storeSettings('checkout', {
  paymentRequired: Type.Boolean({
    default: false,
    description: 'An order that something is to be paid of is placed with a payment method only',
  }),
  reservationMinutes: Type.Integer({
    minimum: 0,
    maximum: mostMinutes,
    default: 15,
    description:
      'How long the stock of a cart is held from the beginning of its payment, no longer than the payment is waited for; 0 for not at all',
  }),
  reserveAtCheckout: Type.Boolean({
    default: false,
    description: 'Shoppers may have the stock of their cart held before a payment begins (POST /checkout/reservation)',
  }),
  unpaidOrderMinutes: Type.Integer({
    minimum: 0,
    maximum: mostMinutes,
    default: 0,
    description:
      'An order from a cart that nothing is paid of is canceled after so many minutes; 0 for never. Orders keep the time that held when they were placed.',
  }),
});

const { guestCheckout, checkoutRequires, updatedAt } = StoreSettings.properties;
const { properties } = checkoutSettings;
/** Some stand among the store's own, under the names they have there. */
export const CheckoutSettings = object(
  { guestCheckout, checkoutRequires, ...properties, updatedAt },
  { $id: 'CheckoutSettings' },
);
export type CheckoutSettings = Static<typeof CheckoutSettings>;

/** Without defaults, which would set what a caller leaves out. */
const settable = Object.fromEntries(
  Object.entries(properties).map(([name, { default: _, ...schema }]) => [name, schema]),
) as unknown as typeof properties;
export const ChangeCheckoutSettings = changeOf(
  { guestCheckout, checkoutRequires, ...settable },
  { $id: 'ChangeCheckoutSettings' },
);
export type ChangeCheckoutSettings = Static<typeof ChangeCheckoutSettings>;

function presentSettings(store: Store): CheckoutSettings {
  const { guestCheckout, checkoutRequires, updatedAt } = store;
  return { guestCheckout, checkoutRequires, ...checkoutSettings.of(store), updatedAt };
}

export async function readSettings(db: TenantDatabase): Promise<CheckoutSettings> {
  return presentSettings(await findStore(db));
}

export async function changeSettings(
  db: TenantDatabase,
  { guestCheckout, checkoutRequires, ...checkout }: ChangeCheckoutSettings,
): Promise<CheckoutSettings> {
  const settings = Object.keys(checkout).length > 0 ? { checkout } : undefined;
  return presentSettings(await changeStore(db, { guestCheckout, checkoutRequires, settings }));
}

/**
 * Schemas of the checkout settings.
 */
import { StoreSettings } from '@carton/core';
import { changeOf, object, type Static } from '@carton/runtime';
import { checkoutProperties } from '../settings.ts';

const { guestCheckout, checkoutRequires, updatedAt } = StoreSettings.properties;
/** Includes settings that belong to the store itself, under their names there. */
export const CheckoutSettings = object(
  { guestCheckout, checkoutRequires, ...checkoutProperties, updatedAt },
  { $id: 'CheckoutSettings' },
);
export type CheckoutSettings = Static<typeof CheckoutSettings>;

/** Without defaults, which would overwrite fields that a caller omits. */
const settable = Object.fromEntries(
  Object.entries(checkoutProperties).map(([name, { default: _, ...schema }]) => [name, schema]),
) as unknown as typeof checkoutProperties;
export const ChangeCheckoutSettings = changeOf(
  { guestCheckout, checkoutRequires, ...settable },
  { $id: 'ChangeCheckoutSettings' },
);
export type ChangeCheckoutSettings = Static<typeof ChangeCheckoutSettings>;

/**
 * @carton/shipping: zones, profiles and options, and the shipping of carts and orders.
 */
import { cartMerges, cartTotals } from '@carton/cart';
import { orderPlacing } from '@carton/checkout';
import { storeSettingsGroups } from '@carton/core';
import { countryUses } from '@carton/region';
import { definePackage } from '@carton/runtime';
import { carrierSettings } from './carriers/settings.ts';
import { carrierSource } from './carriers/source.ts';
import {
  listAdminCartShippingOptions,
  listCartShippingOptions,
  listOrderShippingMethods,
  setCartShippingMethod,
} from './carts/routes.ts';
import { mergeMethods } from './carts/service.ts';
import { shippingOptionUpdated } from './options/events.ts';
import { adminShippingOptions, adminShippingProfiles, adminShippingZones } from './options/routes.ts';
import { shippingRateSources } from './options/sources.ts';
import { placingStep } from './orders/placing.ts';
import { shippingStep } from './sales/step.ts';
import { shippingSettings } from './settings.ts';
import { hasZones } from './zones/store.ts';

export {
  type NotOffered,
  type Parcel,
  type ParcelLine,
  pickupType,
  type Rate,
  type RatedOption,
  type ShippingRateSource,
  shippingRateSources,
} from './options/sources.ts';
export { findOrderShipping, type OrderShippingMethods } from './orders/placing.ts';
export { type PickupLocation, type PickupLocationSource, pickupLocations } from './sales/pickup.ts';

export default definePackage({
  routes: [
    ...adminShippingZones,
    ...adminShippingProfiles,
    ...adminShippingOptions,
    listCartShippingOptions,
    setCartShippingMethod,
    listAdminCartShippingOptions,
    listOrderShippingMethods,
  ],
  events: [shippingOptionUpdated],
  extends: [
    storeSettingsGroups.with(shippingSettings),
    cartTotals.with(shippingStep),
    cartMerges.with(mergeMethods),
    countryUses.with(hasZones),
    orderPlacing.with(placingStep),
    shippingRateSources.with(carrierSource),
  ],
  settings: carrierSettings,
});

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
import { mergeMethods } from './choosing.ts';
import { shippingOptionUpdated } from './events.ts';
import { placingStep } from './placing.ts';
import { adminShippingOptions, adminShippingProfiles, adminShippingZones } from './routes/admin.ts';
import {
  listAdminCartShippingOptions,
  listCartShippingOptions,
  listOrderShippingMethods,
  setCartShippingMethod,
} from './routes/cart.ts';
import { shippingSettings } from './settings.ts';
import { shippingRateSources } from './sources.ts';
import { shippingStep } from './step.ts';
import { hasZones } from './store.ts';

export { type PickupLocation, type PickupLocationSource, pickupLocations } from './pickup.ts';
export { findOrderShipping, type OrderShippingMethods } from './placing.ts';
export {
  type NotOffered,
  type Parcel,
  type ParcelLine,
  pickupType,
  type Rate,
  type RatedOption,
  type ShippingRateSource,
  shippingRateSources,
} from './sources.ts';

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

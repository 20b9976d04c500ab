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
import { listAdminCartShippingOptions, listCartShippingOptions, setCartShippingMethod } from './carts/routes.ts';
import { mergeMethods } from './carts/service.ts';
import { shippingOptionEvents } from './options/events.ts';
import { adminShippingOptions } from './options/routes.ts';
import { shippingRateSources } from './options/sources.ts';
import { placingStep } from './orders/placing.ts';
import { listOrderShippingMethods } from './orders/routes.ts';
import { adminShippingProfiles } from './profiles/routes.ts';
import { shippingStep } from './sales/step.ts';
import { shippingSettings } from './settings.ts';
import { adminShippingZones } from './zones/routes.ts';
import { hasZones } from './zones/store.ts';

export type { CarrierAnswer, CarrierQuestion, CarrierService } from './carriers/carrier.ts';
export { carrierServices } from './carriers/settings.ts';
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
export type { OrderShippingMethods } from './orders/schemas.ts';
export { findOrderShipping } from './orders/service.ts';
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
  events: [...Object.values(shippingOptionEvents)],
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

/**
 * @carton/shipping: zones, profiles and options, and the shipping of carts and orders.
 */
import { storeSettingsGroups } from '@carton/core';
import { definePackage } from '@carton/runtime';
import { shippingOptionUpdated } from './events.ts';
import { adminShippingOptions, adminShippingProfiles, adminShippingZones } from './routes/admin.ts';
import { shippingSettings } from './settings.ts';

export default definePackage({
  routes: [...adminShippingZones, ...adminShippingProfiles, ...adminShippingOptions],
  events: [shippingOptionUpdated],
  extends: [storeSettingsGroups.with(shippingSettings)],
});

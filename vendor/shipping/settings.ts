/**
 * Settings of shipping, stored with those of the store.
 */
import { storeSettings } from '@carton/core';
import { humanText, nullable, object, Type, withOptions } from '@carton/runtime';
import { PickupAddress } from './schemas.ts';

const { line2, province, postalCode, ...required } = PickupAddress.properties;
/** Omitted parts are null. */
const StorePickupAddress = object({
  name: humanText(200, { examples: ['Our store in Lyon'] }),
  ...required,
  line2: Type.Optional(line2),
  province: Type.Optional(province),
  postalCode: Type.Optional(postalCode),
});

const StoreAddress = object({
  ...required,
  line2: Type.Optional(line2),
  province: Type.Optional(province),
  postalCode: Type.Optional(postalCode),
});

export const shippingSettings = storeSettings('shipping', {
  required: Type.Boolean({
    default: false,
    description:
      'Whether orders of goods that are shipped need a shipping option, once the store has any. They cannot be ordered to an address for which none is offered',
  }),
  origin: withOptions(nullable(StoreAddress), {
    default: null,
    description: 'Where parcels are sent from, which decides the prices of carriers',
  }),
  pickupAddress: withOptions(nullable(StorePickupAddress), {
    default: null,
    description: 'Where goods can be picked up, as the location `store`. Null: not at the store',
  }),
});

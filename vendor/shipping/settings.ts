/**
 * Settings of shipping, stored with those of the store.
 */
import { storeSettings } from '@carton/core';
import { Country, humanText, nullable, object, type Static, Type, withOptions } from '@carton/runtime';

const text = (maxLength: number, example: string) => humanText(maxLength, { examples: [example] });

const address = {
  line1: text(200, '12 Rue des Lilas'),
  line2: nullable(text(200, 'Third floor')),
  city: text(100, 'Lyon'),
  province: nullable(text(100, 'Auvergne-Rhône-Alpes')),
  postalCode: nullable(text(20, '69003')),
  country: Country,
};
export const PickupAddress = object(address, { $id: 'PickupAddress' });
export type PickupAddress = Static<typeof PickupAddress>;

const { line2, province, postalCode, ...required } = address;
/** Omitted parts are null. */
const StorePickupAddress = object({
  name: text(200, 'Our store in Lyon'),
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

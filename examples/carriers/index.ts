/**
 * An example of a carrier service: a courier who takes parcels within one country, at a price by weight.
 */
import { definePackage, packageSettings, Type } from '@carton/runtime';
import { type CarrierService, carrierServices } from '@carton/shipping';

const settings = packageSettings({
  COURIER_COUNTRY: Type.String({ pattern: '^[A-Z]{2}$', default: 'DE', description: 'Where the courier drives' }),
});

/** Minor units of EUR: of a parcel, and for each kilogram that has begun. */
const services = { Standard: [300, 100], Express: [900, 200] } as const;

const courier: CarrierService = {
  name: 'courier',
  async connect(db) {
    const { COURIER_COUNTRY: country } = settings.of(db);
    return {
      id: 'common',
      async rate({ from, to, weight }, signal) {
        signal.throwIfAborted();
        const isServed = from.country === country && to.country === country;
        const rates = Object.entries(services).map(([name, [parcel, kilogram]]) => ({
          service: `Courier ${name}`,
          amount: parcel + kilogram * Math.ceil(weight / 1000),
          currency: 'EUR',
        }));
        return { rates: isServed ? rates : [], failed: [] };
      },
    };
  },
};

export default definePackage({ routes: [], extends: [carrierServices.with(courier)], settings });

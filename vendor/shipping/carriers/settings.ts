/**
 * Settings of carrier services, read from the environment.
 */
import { extensionPoint, type HasExtensions, packageSettings, Type } from '@carton/runtime';
import type { CarrierService } from './carrier.ts';

/** Carrier services of other packages. The settings of a box name the one that it uses. */
export const carrierServices = extensionPoint<CarrierService>('shipping.carrier-services');

export interface CarrierSettings {
  /** Null for none. */
  service: string | null;
  /** Milliseconds for a call with its retries. */
  timeout: number;
  /** Milliseconds. */
  pause: number;
  /** Minutes for which an answer is used. */
  quoteLifetime: number;
}

const properties = {
  CARRIER_SERVICE: Type.String({
    default: '',
    description:
      'The service that prices shipping options of the type `carrier`: `easypost`; without one, their own rates apply',
  }),
  CARRIER_TIMEOUT: Type.Integer({
    minimum: 100,
    maximum: 20_000,
    default: 4000,
    description:
      'Milliseconds for a call of the carrier service, with its retries; then the own rates of options apply',
  }),
  CARRIER_PAUSE: Type.Integer({
    minimum: 1,
    maximum: 3600,
    default: 30,
    description: 'Seconds for which the carrier service is not called after three calls in a row have failed',
  }),
  CARRIER_QUOTE_MINUTES: Type.Integer({
    minimum: 1,
    maximum: 1440,
    default: 60,
    description: "Minutes for which a carrier's prices are used for the same parcel and address",
  }),
};

export const carrierSettings = packageSettings(
  properties,
  (values): CarrierSettings => ({
    service: values.CARRIER_SERVICE.trim() || null,
    timeout: values.CARRIER_TIMEOUT,
    pause: values.CARRIER_PAUSE * 1000,
    quoteLifetime: values.CARRIER_QUOTE_MINUTES,
  }),
  ({ service }, box) => {
    const known = carrierServices.of(box).map(({ name }) => name);
    if (service !== null && !known.includes(service)) {
      throw new Error(`CARRIER_SERVICE names "${service}", which is not one of ${known.join(', ')}`);
    }
  },
);

/** Whether a service prices options of the type `carrier` in a box. */
export function hasCarrierService(box: HasExtensions): boolean {
  return carrierSettings.of(box).service !== null;
}

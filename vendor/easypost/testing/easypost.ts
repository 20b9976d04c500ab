/**
 * A simulator of the part of EasyPost that the box uses: prices of a parcel. From Germany in EUR, DHL takes parcels to
 * Germany (`DHL Paket`: 4.00 and 0.10 an ounce, `DHL Express`: 20.00) and the Express to any other place; from elsewhere
 * USPS in USD likewise (`USPS Ground`, `USPS Express`).
 */
import type { SimulatedRequest, SimulatedResponse, WrongAnswers } from '@carton/runtime/testing';

/** An address with this postal code is refused; to the other one a carrier gives no prices. */
export const unknownPostalCode = '00000';
export const failingPostalCode = '00001';

interface Rates {
  rates: { carrier: string; service: string; rate: string; currency: string }[];
  messages: { carrier: string; type: string; message: string }[];
}

interface Shipment {
  to_address: Record<string, string>;
  from_address: Record<string, string>;
  parcel: { weight: number };
}

export function respond({ method, url, body, authorization }: SimulatedRequest): SimulatedResponse {
  const key = Buffer.from(authorization.replace(/^Basic /, ''), 'base64').toString();
  if (!/^EZ[AT]K\w+:$/.test(key)) return { status: 401, body: { error: { code: 'UNAUTHORIZED' } } };
  if (method !== 'POST' || url.pathname !== '/beta/rates')
    return { status: 404, body: { error: { code: 'NOT_FOUND' } } };
  const { to_address: to, from_address: from, parcel } = (JSON.parse(body) as { shipment: Shipment }).shipment;
  if (!to.country || to.zip === unknownPostalCode || !(parcel.weight > 0)) {
    return { status: 422, body: { error: { code: 'ADDRESS.VERIFY.FAILURE' } } };
  }
  const [carrier, standard, currency] = from.country === 'DE' ? ['DHL', 'Paket', 'EUR'] : ['USPS', 'Ground', 'USD'];
  const messages = [{ carrier: carrier as string, type: 'rate_error', message: 'The carrier does not respond.' }];
  if (to.zip === failingPostalCode) return { status: 200, body: { rates: [], messages } };
  const rateOf = (service: string, amount: number) => {
    return { carrier, service, rate: amount.toFixed(2), currency, delivery_days: 2 };
  };
  const express = rateOf('Express', 20);
  const rates = to.country === from.country ? [rateOf(standard as string, 4 + parcel.weight / 10), express] : [express];
  return { status: 200, body: { rates, messages: [] } };
}

const changed = (property: 'rate' | 'currency', value: string) => (answer: Rates) => {
  for (const rate of answer.rates) rate[property] = value;
};

/** Each is a lie that must be refused. */
export const wrongAnswers: WrongAnswers = {
  negative: changed('rate', '-4.00'),
  'not-a-number': changed('rate', 'free'),
  exponential: changed('rate', '1e3'),
  'unknown-currency': changed('currency', 'XYZ'),
};

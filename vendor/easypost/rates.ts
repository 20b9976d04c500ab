/**
 * EasyPost: asks for the prices of a parcel without creating a shipment.
 * Source: https://docs.easypost.com/docs/shipments/rates
 */
import type { QuotedAddress } from '@carton/cart';
import { findOwnAccount } from '@carton/core';
import { isCurrency, minorUnitDigits, requestJson, ServiceError, type Static, Type } from '@carton/runtime';
import type { CarrierAnswer, CarrierQuestion, CarrierService } from '@carton/shipping';
import { type EasyPostAccount, easyPostSettings } from './settings.ts';

const Rates = Type.Object({
  rates: Type.Array(
    Type.Object({ carrier: Type.String(), service: Type.String(), rate: Type.String(), currency: Type.String() }),
  ),
  messages: Type.Optional(
    Type.Union([Type.Null(), Type.Array(Type.Object({ carrier: Type.String(), type: Type.String() }))]),
  ),
});

const gramsPerOunce = 28.349523125;

export const easyPost: CarrierService = {
  name: 'easypost',
  async connect(db) {
    const { url, common, own } = easyPostSettings.of(db);
    const ownAccount = await findOwnAccount(db, own);
    const account = ownAccount ?? common;
    if (!account) return null;
    const id = ownAccount ? db.tenantId : 'common';
    return { id, rate: (question, signal) => rate(url, account, question, signal) };
  },
};

async function rate(
  api: URL,
  { apiKey }: EasyPostAccount,
  { from, to, weight }: CarrierQuestion,
  signal: AbortSignal,
): Promise<CarrierAnswer> {
  // Rounded up to a tenth, so that no parcel counts as lighter than it is.
  const ounces = Math.ceil((weight / gramsPerOunce) * 10) / 10;
  const shipment = { from_address: addressOf(from), to_address: addressOf(to), parcel: { weight: ounces } };
  const headers = {
    authorization: `Basic ${Buffer.from(`${apiKey}:`).toString('base64')}`,
    'content-type': 'application/json',
  };
  const request = { method: 'POST' as const, url: new URL('/beta/rates', api), headers, answer: Rates };
  return answerOf(await requestJson({ ...request, body: JSON.stringify({ shipment }) }, signal));
}

function addressOf({ country, province, postalCode, city, line1 }: QuotedAddress) {
  const fields = { country, state: province, zip: postalCode, city, street1: line1 };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

function answerOf({ rates, messages }: Static<typeof Rates>): CarrierAnswer {
  const failed = (messages ?? []).filter(({ type }) => type === 'rate_error').map(({ carrier }) => carrier);
  return {
    rates: rates.map(({ carrier, service, rate, currency }) => {
      if (!isCurrency(currency)) throw wrongAnswer(`the currency ${currency.slice(0, 10)}`);
      return { service: `${carrier} ${service}`, amount: minorUnitsOf(rate, currency), currency };
    }),
    failed: [...new Set(failed)],
  };
}

/** `"7.5"` is 750 in EUR. @throws ServiceError `invalid` for anything but a decimal number of a price */
function minorUnitsOf(text: string, currency: string): number {
  const [, whole, fraction = ''] = /^(\d{1,9})(?:\.(\d{1,10}))?$/.exec(text) ?? [];
  if (whole === undefined) throw wrongAnswer(`the price ${text.slice(0, 20)}`);
  const digits = minorUnitDigits(currency);
  const kept = Number(`${whole}${fraction.slice(0, digits).padEnd(digits, '0')}`);
  return kept + (Number(fraction.charAt(digits) || 0) >= 5 ? 1 : 0);
}

function wrongAnswer(what: string): ServiceError {
  return new ServiceError('invalid', `its answer has ${what}`);
}

/**
 * Options of the type `carrier`: what a carrier charges for the parcel, or their own rates while its price is not known.
 */
import {
  digestOf,
  type MissingQuote,
  type QuotedAddress,
  quotedAddressOf,
  type Sale,
  type StoredQuote,
  saleKeyOf,
} from '@carton/cart';
import { findStore } from '@carton/core';
import { callService, invalidField, type TenantDatabase } from '@carton/runtime';
import {
  noWeight,
  onePerCurrency,
  type Parcel,
  type Rate,
  type RatedOption,
  type ShippingRateSource,
} from '../options/sources.ts';
import { shippingSettings } from '../settings.ts';
import type { CarrierAnswer, CarrierQuestion } from './carrier.ts';
import { carrierServices, carrierSettings, hasCarrierService } from './settings.ts';
import { carrierQuotes, findQuotes } from './store.ts';

/** What the source reads; null in a box without a carrier service. */
interface CarrierRead {
  saleKey: string;
  quotes: readonly StoredQuote<CarrierAnswer>[];
  from: QuotedAddress | null;
  to: QuotedAddress | null;
}

async function readCarriers(db: TenantDatabase, sale: Sale): Promise<CarrierRead | null> {
  if (!hasCarrierService(db)) return null;
  const saleKey = saleKeyOf(sale);
  const { shippingAddress, deliveryAddress = shippingAddress } = sale;
  const [quotes, store] = await Promise.all([findQuotes(db, saleKey), findStore(db)]);
  const from = quotedAddressOf(shippingSettings.of(store).origin);
  return { saleKey, quotes, from, to: quotedAddressOf(deliveryAddress) };
}

/** What a carrier service is asked for a parcel; null if that is not known. */
function questionOf({ weight }: Parcel, { from, to }: CarrierRead): CarrierQuestion | null {
  return from && to && weight !== null ? { from, to, weight: Math.max(weight, 1) } : null;
}

function quoteFor(question: CarrierQuestion, { quotes }: CarrierRead): StoredQuote<CarrierAnswer> | undefined {
  const digest = digestOf(question);
  return quotes.find((quote) => quote.digest === digest);
}

/** The option's own rate. */
function ownRate({ rates }: RatedOption, { currency }: Parcel): Rate {
  const rate = rates.find((each) => each.currency === currency);
  if (rate) return { amount: rate.amount };
  return {
    reason: 'carrier',
    detail: `The price of the carrier is not known, and the option has none in ${currency}.`,
  };
}

function rateOf(option: RatedOption, parcel: Parcel, read: CarrierRead | null): Rate {
  if (parcel.weight === null) return noWeight(parcel);
  if (!read) return ownRate(option, parcel);
  if (!read.to) return { reason: 'address', detail: 'The country of the address is not known.' };
  const question = questionOf(parcel, read);
  const answer = question && quoteFor(question, read)?.answer;
  return answer ? rateIn(answer, option, parcel) : ownRate(option, parcel);
}

function rateIn({ rates, failed }: CarrierAnswer, option: RatedOption, parcel: Parcel): Rate {
  const service = option.carrierService?.toUpperCase() ?? '';
  const priced = rates.filter((rate) => rate.service.toUpperCase() === service);
  const amounts = priced.flatMap(({ currency, amount }) => (currency === parcel.currency ? amount : []));
  // Several accounts with a carrier may have a price each.
  if (amounts.length > 0) return { amount: Math.min(...amounts) };
  const isUnknown = priced.length > 0 || failed.some((carrier) => service.startsWith(`${carrier.toUpperCase()} `));
  if (isUnknown) return ownRate(option, parcel);
  return { reason: 'carrier', detail: `${option.carrierService} does not take the parcel to this address.` };
}

function missingFor(_: RatedOption, parcel: Parcel, read: CarrierRead | null): MissingQuote | null {
  const question = read && questionOf(parcel, read);
  if (!question || quoteFor(question, read)) return null;
  const ask = (db: TenantDatabase) => askService(db, question, read.saleKey);
  return { detail: 'The carrier service does not respond. Try again later.', isRequired: false, ask };
}

async function askService(db: TenantDatabase, question: CarrierQuestion, saleKey: string): Promise<boolean> {
  const { service: name, timeout, pause, quoteLifetime } = carrierSettings.of(db);
  const service = carrierServices.of(db).find((each) => each.name === name);
  const account = await service?.connect(db);
  if (!service || !account) return false;
  const call = { service: `${service.name}-rates`, account: account.id, timeout, pause };
  const key = { saleKey, digest: digestOf(question) };
  return carrierQuotes.ask(db, key, quoteLifetime, () =>
    callService(db, call, (signal) => account.rate(question, signal)),
  );
}

export const carrierSource: ShippingRateSource<CarrierRead | null> = {
  type: 'carrier',
  check(rates, { carrierService }) {
    if (carrierService === null) throw invalidField('/carrierService', 'is required for the type carrier');
    onePerCurrency(rates);
  },
  reads: readCarriers,
  rate: rateOf,
  missing: missingFor,
  asksService: hasCarrierService,
};

/**
 * What an option costs, by its type: the built-in types, and those of other packages.
 */
import type { MissingQuote, Sale } from '@carton/cart';
import { extensionPoint, type HasExtensions, invalidField, type TenantDatabase } from '@carton/runtime';
import type { ShippingRate } from './schemas.ts';

/** The goods of one profile in a sale. */
export interface Parcel {
  /** ISO 4217 */
  readonly currency: string;
  /** The price of the goods after discounts, in minor units. */
  readonly goods: number;
  /** Grams; null if lines have no weight. */
  readonly weight: number | null;
  readonly lines: readonly ParcelLine[];
}

export interface ParcelLine {
  readonly variantId: string | null;
  /** For messages to staff; null if it was not read. */
  readonly title: string | null;
  readonly quantity: number;
  /** Grams per unit. */
  readonly weight: number | null;
  /** Minor units, after discounts. */
  readonly discountedTotal: number;
}

/** An option as rate sources see it. */
export interface RatedOption {
  readonly id: string;
  readonly code: string;
  readonly type: string;
  readonly rates: readonly ShippingRate[];
  /** For the type `carrier`: carrier and service, `USPS Priority`. */
  readonly carrierService: string | null;
}

/** Why an option is not offered: a stable code and an explanation for staff. */
export interface NotOffered {
  readonly reason: string;
  readonly detail: string;
}
/** The price in minor units, or why there is none. */
export type Rate = { readonly amount: number } | NotOffered;

/**
 * Prices the options of one type. `rate` is a pure function, which runs on every read of a cart: a source that asks a
 * service for its prices stores them by address and goods beforehand, and finds them in `reads`.
 */
export interface ShippingRateSource<Read = unknown> {
  /** The type of the options: `carrier`. */
  readonly type: string;
  /** Rejects the rates of an option. @throws invalid_request (400) */
  check?(rates: readonly ShippingRate[], option: Pick<RatedOption, 'carrierService'>): void;
  /** Reads what `rate` needs, in one statement, which shares a round trip with the reads of the totals. */
  reads?(db: TenantDatabase, sale: Sale): Promise<Read>;
  rate(option: RatedOption, parcel: Parcel, read: Read): Rate;
  /** The quote of a service that `rate` lacks; null if it lacks none. A pure function. */
  missing?(option: RatedOption, parcel: Parcel, read: Read): MissingQuote | null;
  /** Whether the source may ask a service in this box. Required with `missing`. */
  asksService?(box: HasExtensions): boolean;
}

/** Extension point for types of options, such as the rates of a carrier. */
// biome-ignore lint/suspicious/noExplicitAny: each source has its own type of read.
export const shippingRateSources = extensionPoint<ShippingRateSource<any>>('shipping.rate-sources');

/** Rejects tiers and duplicate currencies. @throws invalid_request (400) */
export function onePerCurrency(rates: readonly ShippingRate[]): void {
  const currencies = new Set<string>();
  for (const [at, { currency, from, to }] of rates.entries()) {
    if (from !== 0 || to !== null) throw invalidField(`/rates/${at}`, 'must not have bounds: the type has no tiers');
    if (currencies.has(currency)) throw invalidField(`/rates/${at}/currency`, 'is a duplicate');
    currencies.add(currency);
  }
}

function tiersWithoutOverlap(rates: readonly ShippingRate[]): void {
  requireRates(rates);
  for (const [at, { currency, from, to }] of rates.entries()) {
    if (to !== null && to <= from) throw invalidField(`/rates/${at}/to`, 'must be above from');
    const overlaps = (other: ShippingRate) =>
      other.currency === currency && (to === null || other.from < to) && (other.to === null || from < other.to);
    if (rates.some((other, position) => position < at && overlaps(other))) {
      throw invalidField(`/rates/${at}`, 'overlaps with another tier');
    }
  }
}

function requireRates({ length }: readonly ShippingRate[]): void {
  if (length === 0) throw invalidField('/rates', 'must have at least one rate');
}

function tierAt(value: number, { currency }: Parcel, { rates }: RatedOption): number | null {
  const has = (rate: ShippingRate) =>
    rate.currency === currency && value >= rate.from && (rate.to === null || value < rate.to);
  return rates.find(has)?.amount ?? null;
}

const flat = (type: string): ShippingRateSource => ({
  type,
  check(rates) {
    requireRates(rates);
    onePerCurrency(rates);
  },
  rate: (option, parcel) => ({ amount: tierAt(0, parcel, option) as number }),
});

const byPrice: ShippingRateSource = {
  type: 'price',
  check: tiersWithoutOverlap,
  rate(option, parcel) {
    const amount = tierAt(parcel.goods, parcel, option);
    if (amount !== null) return { amount };
    return { reason: 'price', detail: `No tier has goods for ${parcel.goods} minor units of ${parcel.currency}.` };
  },
};

/** The reason for a parcel with goods without a weight. */
export function noWeight({ lines }: Parcel): NotOffered {
  const missing = lines.filter(({ weight }) => weight === null);
  const names = missing.map(({ title, variantId }) => title ?? variantId ?? 'a custom line');
  return { reason: 'weight', detail: `No weight: ${names.join(', ')}.` };
}

const byWeight: ShippingRateSource = {
  type: 'weight',
  check: tiersWithoutOverlap,
  rate(option, parcel) {
    if (parcel.weight === null) return noWeight(parcel);
    const amount = tierAt(parcel.weight, parcel, option);
    return amount === null ? { reason: 'weight', detail: `No tier has ${parcel.weight} g.` } : { amount };
  },
};

export const pickupType = 'pickup';
const builtIn: readonly ShippingRateSource[] = [flat('flat'), byWeight, byPrice, flat(pickupType)];
const builtInTypes = new Set(builtIn.map(({ type }) => type));

/** Whether options of the type are priced by their rates alone, and so only in the currencies of these. */
export const isPricedByRates = (type: string): boolean => builtInTypes.has(type);

/** Whether prices of options may depend on a service outside of the box. */
export function ratesAskServices(box: HasExtensions): boolean {
  return rateSourcesOf(box).some((source) => source.asksService?.(box));
}

/** The sources of a box, the built-in ones first. */
export function rateSourcesOf(box: HasExtensions): readonly ShippingRateSource[] {
  return [...builtIn, ...shippingRateSources.of(box)];
}

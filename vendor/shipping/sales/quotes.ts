/**
 * What options cost for the goods of a sale, or why they are not offered. Pure functions.
 */
import type { Adjustment, MissingQuote, PricedSale, Sale, TotalsLine } from '@carton/cart';
import {
  isPricedByRates,
  type NotOffered,
  type Parcel,
  type ParcelLine,
  pickupType,
  type Rate,
  type ShippingRateSource,
} from '../options/sources.ts';
import { destinationOf, type PickupLocation } from './pickup.ts';
import type { ShippingRead } from './reads.ts';
import type { ChosenMethod, StoredOption } from './store.ts';

/** The goods of a sale by profile (null for the default), the default first. */
export type Parcels = ReadonlyMap<string | null, Parcel>;

export type ShippedLine = Pick<
  TotalsLine,
  'variantId' | 'shippingProfile' | 'quantity' | 'weight' | 'requiresShipping' | 'discountedTotal'
> & {
  title?: string;
};

/** Groups lines by profile, without those that need no parcel. An unknown profile is the default one. */
export function parcelsOf(lines: readonly ShippedLine[], currency: string, profiles: readonly string[]): Parcels {
  const known = new Set(profiles);
  const profileOf = ({ shippingProfile }: ShippedLine) =>
    shippingProfile !== null && known.has(shippingProfile) ? shippingProfile : null;
  const shipped = lines.filter(({ requiresShipping = true }) => requiresShipping);
  const groups = [...Map.groupBy(shipped, profileOf)];
  groups.sort(([one], [other]) => (one ?? '').localeCompare(other ?? '', 'en'));
  return new Map(groups.map(([profile, group]) => [profile, parcelOf(group, currency)]));
}

function parcelOf(group: readonly ShippedLine[], currency: string): Parcel {
  const lines = group.map(
    ({ variantId, title = null, quantity, weight, discountedTotal }): ParcelLine => ({
      ...{ variantId, title, quantity, weight, discountedTotal },
    }),
  );
  const goods = lines.reduce((sum, { discountedTotal }) => sum + discountedTotal, 0);
  const isWeighed = lines.every(({ weight }) => weight !== null);
  const weight = isWeighed ? lines.reduce((sum, { quantity, weight }) => sum + quantity * (weight as number), 0) : null;
  return { currency, goods, weight, lines };
}

/** The lines of a priced sale that count, with the discounts on them. */
export function linesOf({ lines, adjustments }: Pick<PricedSale, 'lines' | 'adjustments'>): ShippedLine[] {
  const discounts = discountsOf(adjustments);
  return lines.flatMap((line): ShippedLine[] => {
    const { id, quantity, variantId, unitPrice, total, variant } = line;
    if (unitPrice === null || total === null) return [];
    const discountedTotal = total + (discounts.get(id) ?? 0);
    if (variant === null) {
      const { title, weight } = line;
      return [{ variantId: null, shippingProfile: null, quantity, weight, discountedTotal, title }];
    }
    const { shippingProfile, weight, requiresShipping, productTitle, title: ownTitle } = variant;
    const title = `${productTitle} ${ownTitle}`;
    return [{ variantId, shippingProfile, quantity, weight, requiresShipping, discountedTotal, title }];
  });
}

/** The discounts on each line that has some, in minor units below zero, by its id. */
function discountsOf(adjustments: readonly Adjustment[]): Map<string, number> {
  const discounts = new Map<string, number>();
  for (const { kind, lineId, amount } of adjustments) {
    if (kind !== 'discount' || lineId === undefined) continue;
    discounts.set(lineId, (discounts.get(lineId) ?? 0) + amount);
  }
  return discounts;
}

/** What prices an option, or why it is not offered whatever its price. */
function pricingOf(
  option: StoredOption,
  parcels: Parcels,
  read: ShippingRead,
): NotOffered | { source: ShippingRateSource; read: unknown; parcel: Parcel } {
  const parcel = parcels.get(option.profile);
  if (!parcel) return { reason: 'profile', detail: 'The cart has no goods of the profile.' };
  if (option.zoneId !== null && option.zoneId !== read.zoneId) {
    const detail = read.hasCountry
      ? `The address is not in the zone ${option.zoneName}, or in a more specific one.`
      : 'The country of the address is not known.';
    return { reason: 'zone', detail };
  }
  const { currency } = parcel;
  if (isPricedByRates(option.type) && !option.rates.some((rate) => rate.currency === currency)) {
    return { reason: 'currency', detail: `The option has no rate in ${currency}.` };
  }
  if (option.type === pickupType && read.locations.length === 0) {
    return { reason: 'pickup_location', detail: 'The store has no location for pickup.' };
  }
  const priced = read.sources.get(option.type);
  if (!priced) return { reason: 'type', detail: `No package of the store prices options of the type ${option.type}.` };
  return { ...priced, parcel };
}

/** The quote of a service that the price of an option lacks; null if it lacks none. */
export function missingQuoteOf(option: StoredOption, parcels: Parcels, read: ShippingRead): MissingQuote | null {
  const pricing = pricingOf(option, parcels, read);
  return 'reason' in pricing ? null : (pricing.source.missing?.(option, pricing.parcel, pricing.read) ?? null);
}

/** The price of an option for the goods of its profile, or why it is not offered. */
export function quoteOf(option: StoredOption, parcels: Parcels, read: ShippingRead): Rate {
  const pricing = pricingOf(option, parcels, read);
  if ('reason' in pricing) return pricing;
  const { source, parcel } = pricing;
  const rate = source.rate(option, parcel, pricing.read);
  if ('reason' in rate) return rate;
  const { currency } = parcel;
  const freeFrom = option.freeFrom.find((threshold) => threshold.currency === currency);
  return freeFrom && parcel.goods >= freeFrom.amount ? { amount: 0 } : rate;
}

/** What is charged for the goods of a profile, or why nothing is. */
export interface Method {
  readonly profile: string | null;
  /** Null if nothing is chosen, or if the chosen option no longer exists. */
  readonly option: StoredOption | null;
  readonly chosen: ChosenMethod | null;
  readonly location: PickupLocation | null;
  /** Null if nothing is chosen. */
  readonly rate: Rate | null;
}

/** The chosen option of each profile of the goods. */
export function methodsOf(parcels: Parcels, sale: Sale, read: ShippingRead): Method[] {
  const chosen = new Map(read.chosen.map((method) => [method.profile, method]));
  const present = [...parcels.keys()].map((profile) => ({ profile, chosen: chosen.get(profile) ?? null }));
  const placesOfPickup = present.flatMap(({ chosen }) => (chosen ? [locationOf(chosen, read)] : []));
  const isPlaceOfSale = isPlaceOf(sale, placesOfPickup);
  return present.map(({ profile, chosen }) => {
    const none = { profile, option: null, chosen, location: null };
    if (!chosen) return { ...none, rate: null };
    const option = read.options.find(({ id }) => id === chosen.optionId) ?? null;
    if (!option || option.profile !== profile) {
      return { ...none, rate: { reason: 'option', detail: 'The chosen option no longer exists.' } };
    }
    const location = locationOf(chosen, read);
    const rate = quoteOf(option, parcels, read);
    const isAtLocation = option.type !== pickupType || (location !== null && isPlaceOfSale);
    const moved = { reason: 'pickup_location', detail: 'The place of pickup has changed. Choose it again.' };
    return { profile, option, chosen, location, rate: 'reason' in rate || isAtLocation ? rate : moved };
  });
}

function locationOf({ pickupLocationId }: ChosenMethod, { locations }: ShippingRead): PickupLocation | null {
  return locations.find(({ id }) => id === pickupLocationId) ?? null;
}

/**
 * Whether the place where a cart is taxed fits what is chosen: a place of pickup, if everything is picked up; the address
 * of the shopper, if something is delivered. Other sales state their address themselves.
 */
function isPlaceOf(sale: Sale, chosen: readonly (PickupLocation | null)[]): boolean {
  if (sale.cartId === null) return true;
  const isPickedUp = sale.deliveryAddress !== undefined;
  if (isPickedUp !== chosen.every((location) => location !== null)) return false;
  return !isPickedUp || chosen.some((location) => location && isSamePlace(destinationOf(location), sale));
}

function isSamePlace(place: ReturnType<typeof destinationOf>, { shippingAddress }: Sale): boolean {
  const parts = ['country', 'province', 'postalCode'] as const;
  return parts.every((part) => place[part] === shippingAddress?.[part]);
}

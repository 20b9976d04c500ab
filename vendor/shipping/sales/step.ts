/**
 * The step of the totals pipeline that charges the chosen options.
 */
import {
  type Adjustment,
  type CartIssue,
  type MissingQuote,
  type TotalsDraft,
  totalsOrder,
  totalsStep,
} from '@carton/cart';
import { money, nullable, object, Type, Uuid } from '@carton/runtime';
import { ratesAskServices } from '../options/sources.ts';
import { ProfileOfGoods } from '../schemas.ts';
import { type Method, methodsOf, missingQuoteOf, parcelsOf } from './quotes.ts';
import { readShipping, type ShippingRead } from './reads.ts';
import { CartShipping } from './schemas.ts';
import { type ChosenMethod, storedChoice } from './store.ts';

const choice = object({
  methods: Type.Array(
    object({ profile: ProfileOfGoods, optionId: Uuid, pickupLocationId: nullable(Type.String({ maxLength: 100 })) }),
  ),
});
export type ShippingChoice = { methods: ChosenMethod[] };

const parcelsIn = ({ sale, lines }: TotalsDraft, { profiles }: ShippingRead) =>
  parcelsOf(lines, sale.currency, profiles);

const methodsIn = (draft: TotalsDraft, read: ShippingRead) => methodsOf(parcelsIn(draft, read), draft.sale, read);

/** The quotes that the chosen options lack, as one. */
function findMissing(draft: TotalsDraft, read: ShippingRead): MissingQuote | null {
  const mayMiss = read.options.some(({ type }) => read.sources.get(type)?.source.missing);
  if (!mayMiss) return null;
  const parcels = parcelsIn(draft, read);
  const missing = methodsOf(parcels, draft.sale, read).flatMap(
    ({ option }) => (option && missingQuoteOf(option, parcels, read)) ?? [],
  );
  const [first] = missing;
  if (!first) return null;
  const asks = missing.flatMap(({ ask }) => ask ?? []);
  const isRequired = missing.some((quote) => quote.isRequired);
  if (asks.length === 0) return { ...first, isRequired, ask: null };
  const askAll: MissingQuote['ask'] = async (db, asker) =>
    (await Promise.all(asks.map((ask) => ask(db, asker)))).includes(true);
  return { ...first, isRequired, ask: askAll };
}

/** Without the province, the zone may be the wrong one. What is picked up is in none. */
function findIssues(draft: TotalsDraft, read: ShippingRead): CartIssue[] {
  if (!read.isProvinceMissing && !read.isProvinceUnknown) return [];
  const isDelivered = draft.sale.deliveryAddress === undefined && parcelsIn(draft, read).size > 0;
  if (!isDelivered) return [];
  if (read.isProvinceMissing) return ['province_missing'];
  return read.isProvinceUnknown ? ['province_unknown'] : [];
}

function chargeOf({ option, rate }: Method): Adjustment[] {
  if (!option || !rate || 'reason' in rate) return [];
  const { id, code, name } = option;
  return [{ code, label: name, kind: 'shipping', amount: rate.amount, source: { type: 'shipping_option', id } }];
}

function present({ profile, option, chosen, location, rate }: Method, currency: string): CartShipping {
  const { code = null, name = null, type = null } = option ?? {};
  const shown = { profile, optionId: chosen?.optionId ?? null, code, name, type, pickupLocation: location };
  if (rate === null) return { ...shown, state: 'none', price: null, reason: null };
  if ('reason' in rate) return { ...shown, state: 'unavailable', price: null, reason: rate.reason };
  return { ...shown, state: 'chosen', price: money(rate.amount, currency), reason: null };
}

export const shippingStep = totalsStep({
  name: 'shipping',
  order: totalsOrder.shipping,
  choice,
  storedChoice,
  reads: (db, sale, chosen: ShippingChoice | undefined) => readShipping(db, sale, chosen?.methods),
  adjust: (draft, read) => methodsIn(draft, read).flatMap(chargeOf),
  missing: findMissing,
  issues: findIssues,
  asksService: ratesAskServices,
  shows: {
    schema: Type.Array(CartShipping),
    of: (draft, read) => methodsIn(draft, read).map((method) => present(method, draft.sale.currency)),
    empty: [],
  },
});

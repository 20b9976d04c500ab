/**
 * Random sales for the rig money: goods, rates, promotions and shipping options, in currencies of 0, 2 and 3 decimals.
 */
import type { TotalsLine } from '@carton/cart';
import { minorUnitDigits, type Rounding, roundings } from '@carton/runtime';
import { Random } from '../../tools/seed/random.ts';
import type { MethodFees } from '../../vendor/payment/methods/store.ts';
import type { Considered } from '../../vendor/promotion/discounts/store.ts';
import { rateSourcesOf } from '../../vendor/shipping/options/sources.ts';
import type { ShippingRead } from '../../vendor/shipping/sales/reads.ts';
import type { StoredOption } from '../../vendor/shipping/sales/store.ts';
import type { ApplicableRate } from '../../vendor/tax/rates/applicable.ts';

export const currencies = ['JPY', 'EUR', 'KWD'] as const;
const categories = [null, 'books', 'food', 'unknown'] as const;
const profiles = [null, 'bulky'] as const;

/** A sale with everything that its totals depend on, as the steps read it. */
export interface Scenario {
  readonly seed: number;
  readonly currency: (typeof currencies)[number];
  readonly taxInclusive: boolean;
  /** Whether shipping and fees contain their taxes; null: as goods do. */
  readonly shippingTaxInclusive: boolean | null;
  readonly lines: readonly TotalsLine[];
  readonly promotions: readonly Considered[];
  readonly shipping: ShippingRead;
  readonly rates: readonly ApplicableRate[];
  readonly roundPer: 'unit' | 'line' | 'total';
  readonly rounding: Rounding;
  readonly shippingCategory: string | null;
  /** The chosen payment method. */
  readonly payment: MethodFees | null;
  /** Of what the total is a multiple, in minor units. */
  readonly roundTo: number;
}

/** The scenario of a seed. */
export function scenarioOf(seed: number): Scenario {
  const random = new Random(seed);
  const currency = random.pick(currencies);
  const lines = linesOf(random, currency);
  return {
    seed,
    currency,
    taxInclusive: random.isTrue(0.5),
    lines,
    promotions: promotionsOf(random, currency, lines),
    shipping: shippingOf(random, currency),
    rates: ratesOf(random),
    roundPer: random.pick(['unit', 'line', 'total'] as const),
    shippingCategory: random.isTrue(0.7) ? null : random.pick(['books', 'unknown']),
    payment: random.isTrue(0.7) ? null : paymentOf(random, currency),
    rounding: random.pick(roundings),
    roundTo: random.pick([1, 1, 5, 10, 50, 500]),
    shippingTaxInclusive: random.pick([null, null, true, false]),
  };
}

/** An amount of usual size, sometimes very small or very large. */
function amountOf(random: Random, currency: string): number {
  const size = random.weighted({ usual: 80, small: 15, large: 5 });
  if (size === 'small') return random.between(0, 20);
  if (size === 'large') return random.between(0, 10 ** 9);
  return random.between(0, 300 * 10 ** minorUnitDigits(currency));
}

function paymentOf(random: Random, currency: string): MethodFees {
  return {
    id: 'method',
    provider: 'manual',
    code: 'cash',
    name: 'Cash',
    fees: [{ amount: amountOf(random, currency) || 1, currency }],
  };
}

function linesOf(random: Random, currency: string): TotalsLine[] {
  return Array.from({ length: random.between(1, 7) }, (_, at) => {
    const quantity = random.isTrue(0.8) ? random.between(1, 4) : random.between(5, 40);
    const unitPrice = amountOf(random, currency);
    const total = quantity * unitPrice;
    const id = `line ${at}`;
    return {
      ...{ id, variantId: id, productId: id, properties: {}, quantity, unitPrice, total, discountedTotal: total },
      taxCategory: random.pick(categories),
      shippingProfile: random.isTrue(0.7) ? null : random.pick(['bulky', 'unknown']),
      weight: random.isTrue(0.9) ? random.between(0, 5000) : null,
    };
  });
}

/** Per cent with up to five decimals. */
function percentOf(random: Random, usual: readonly number[]): number {
  return random.isTrue(0.7) ? random.pick(usual) : random.between(0, 10_000_000) / 100_000;
}

function ratesOf(random: Random): ApplicableRate[] {
  return Array.from({ length: random.between(0, 5) }, (_, at) => {
    const province = random.isTrue(0.5) ? null : 'QC';
    return {
      ...{ id: `rate ${at}`, code: `code ${at}`, name: 'Tax', province },
      rate: percentOf(random, [0, 5, 7, 9.975, 19, 20, 100]),
      category: random.pick([null, null, 'books', 'food']),
      compound: random.isTrue(0.3),
      override: province !== null && random.isTrue(0.3),
    };
  });
}

/** A condition that the lines of these ids meet. */
const onLines = (lines: readonly TotalsLine[]) => ({ fact: 'lines', argument: { ids: lines.map(({ id }) => id) } });

function promotionsOf(random: Random, currency: string, lines: readonly TotalsLine[]): Considered[] {
  const some = () => (random.isTrue(0.5) ? [] : [onLines(lines.filter(() => random.isTrue(0.6)))]);
  const found = Array.from({ length: random.isTrue(0.3) ? 0 : random.between(1, 5) }, (_, at): Considered => {
    const rules = {
      conditions: some(),
      appliesTo: random.pick(['qualifying', 'all'] as const),
      minimumAmounts: random.isTrue(0.2) ? [{ amount: amountOf(random, currency), currency }] : [],
      minimumQuantity: random.isTrue(0.2) ? random.between(1, 5) : 0,
      ...{ regionIds: [], membersOnly: false, firstOrder: false },
    };
    const promotion = {
      ...{ id: `promotion ${at}`, label: `Promotion ${at}`, rules, maxUsesPerCustomer: null },
      priority: random.between(0, 3),
      exclusive: random.isTrue(0.15),
      discount: discountOf(random, currency, some),
    };
    return { code: random.isTrue(0.5) ? `CODE-${at}` : null, promotion, unusable: null, hasOrdered: false };
  });
  const priorityOf = ({ promotion }: Considered) => promotion?.priority ?? 0;
  return found.toSorted((one, other) => priorityOf(other) - priorityOf(one));
}

type Discount = NonNullable<Considered['promotion']>['discount'];

function discountOf(random: Random, currency: string, some: () => ReturnType<typeof onLines>[]): Discount {
  const kind = random.weighted({
    ...{ percent: 30, fixed: 15, fixed_per_unit: 15, buy_x_get_y: 20 },
    ...{ free_shipping: 6, shipping_percent: 7, shipping_fixed: 7 },
  });
  const amounts = [{ amount: amountOf(random, currency), currency }];
  const maxAmounts = random.isTrue(0.3) ? { maxAmounts: amounts } : {};
  const first = random.pick(['cheapest', 'dearest'] as const);
  const per = random.pick(['order', 'line'] as const);
  const maxUnits = random.isTrue(0.4) ? { maxUnits: { count: random.between(1, 6), per, first } } : {};
  const percent = Math.max(0.00001, percentOf(random, [10, 15, 33.33333, 50, 100]));
  const base = random.isTrue(0.3) ? { base: random.pick(['left', 'price'] as const) } : {};
  if (kind === 'percent') return { kind, percent, ...base, ...maxAmounts, ...maxUnits };
  if (kind === 'shipping_percent') return { kind, percent, ...maxAmounts };
  if (kind === 'fixed' || kind === 'shipping_fixed') return { kind, amounts };
  if (kind === 'fixed_per_unit') return { kind, amounts, ...maxUnits };
  if (kind === 'free_shipping') return { kind };
  return {
    ...{ kind, percent, buyQuantity: random.between(1, 3), getQuantity: random.between(1, 2) },
    getConditions: random.isTrue(0.6) ? null : some(),
    maxSets: random.isTrue(0.7) ? null : random.between(1, 3),
  };
}

/** The chosen options of both profiles, mostly such that the goods can be shipped by them. */
function shippingOf(random: Random, currency: string): ShippingRead {
  const options = profiles.map((profile): StoredOption => {
    const type = random.weighted({ flat: 50, price: 25, weight: 25 });
    const id = `option ${profile ?? 'default'}`;
    const steps =
      type === 'flat' ? [0] : [0, ...boundsOf(random, type === 'price' ? amountOf(random, currency) : 3000)];
    return {
      ...{ id, code: `ship-${profile ?? 'default'}`, name: id, zoneName: 'Zone', profile, type, carrierService: null },
      zoneId: random.pick([null, 'zone', 'zone', 'other zone']),
      freeFrom: random.isTrue(0.3) ? [{ amount: amountOf(random, currency), currency }] : [],
      rates: steps.map((from, at) => ({
        currency,
        from,
        to: steps[at + 1] ?? null,
        amount: amountOf(random, currency),
      })),
    };
  });
  const chosen = random.isTrue(0.2) ? [] : options.filter(() => random.isTrue(0.9));
  return {
    ...{
      options,
      profiles: ['bulky'],
      zoneId: 'zone',
      isProvinceUnknown: false,
      isProvinceMissing: false,
      hasCountry: true,
      locations: [],
    },
    chosen: chosen.map(({ id, profile }) => ({ profile, optionId: id, pickupLocationId: null })),
    sources: new Map(
      rateSourcesOf({ extensions: new Map() }).map((source) => [source.type, { source, read: undefined }]),
    ),
  };
}

/** Rising bounds of tiers. */
function boundsOf(random: Random, step: number): number[] {
  const bounds = Array.from({ length: random.between(1, 3) }, (_, at) => (at + 1) * Math.max(1, step));
  return bounds;
}

/**
 * What a promotion can take off, and in which form it is stored.
 */
import {
  Amount,
  Currency,
  nullable,
  object,
  oneOf,
  type Static,
  type TSchema,
  Type,
  withOptions,
} from '@carton/runtime';

/** Per cent of a discount. */
const Percent = Type.Number({
  exclusiveMinimum: 0,
  maximum: 100,
  description: 'Per cent, with up to five decimals',
  examples: [10],
});
export const Quantity = Type.Integer({ minimum: 1, maximum: 9999, examples: [1] });
export const Amounts = (minItems: number, description: string) =>
  Type.Array(object({ amount: Amount, currency: Currency }), { minItems, maxItems: 200, description });

const OffAmounts = Amounts(1, 'One for each currency in which it applies');
const MaxAmounts = Type.Optional(
  Amounts(1, 'The most that it takes off an order, one for each currency in which it applies; without it, any amount'),
);
const MaxUnits = Type.Optional(
  object(
    {
      count: Quantity,
      per: oneOf(['order', 'line']),
      first: oneOf(['cheapest', 'dearest'], {
        description: 'By the price of a unit; of the same price, the line added first',
      }),
    },
    {
      description:
        'The most units that it is taken off; without it, all. `line`: of each variant, since all of its lines count as one',
    },
  ),
);
const Base = Type.Optional(
  oneOf(['left', 'price'], {
    description:
      '`left`: of what earlier promotions have left, one after the other; `price`: of the price before any promotion, ' +
      'side by side. Without it, `left`',
  }),
);

/** The kinds, with the schema of the conditions of units to get. */
export function discountOf<Conditions extends TSchema>(conditions: (description: string) => Conditions) {
  return Type.Union(
    [
      object({
        kind: Type.Literal('percent'),
        percent: Percent,
        base: Base,
        maxAmounts: MaxAmounts,
        maxUnits: MaxUnits,
      }),
      object({ kind: Type.Literal('fixed'), amounts: OffAmounts }),
      object({ kind: Type.Literal('fixed_per_unit'), amounts: OffAmounts, maxUnits: MaxUnits }),
      object({ kind: Type.Literal('free_shipping') }),
      object({ kind: Type.Literal('shipping_percent'), percent: Percent, maxAmounts: MaxAmounts }),
      object({ kind: Type.Literal('shipping_fixed'), amounts: OffAmounts }),
      object({
        kind: Type.Literal('buy_x_get_y'),
        buyQuantity: Quantity,
        getQuantity: Quantity,
        percent: withOptions(Percent, { description: 'Off the units to get: 100 for free ones', examples: [100] }),
        getConditions: Type.Union([conditions('Conditions of the units to get'), Type.Null()], {
          description: 'Null: the units to get meet the conditions of those to buy',
        }),
        maxSets: nullable(withOptions(Quantity, { description: 'Most sets in one order; null for any number' })),
      }),
    ],
    { description: 'What the promotion takes off', examples: [{ kind: 'percent', percent: 10 }] },
  );
}
export type MaxUnits = Static<typeof MaxUnits>;

/** Amounts that a discount has in some currencies only: it does not apply in others. */
export function amountLists(discount: {
  kind: string;
  amounts?: readonly { amount: number; currency: string }[];
  maxAmounts?: readonly { amount: number; currency: string }[];
}) {
  return (['amounts', 'maxAmounts'] as const).flatMap((name) => {
    const amounts = discount[name];
    return amounts === undefined ? [] : [{ name, amounts }];
  });
}

/** The kinds and properties of release 0.2.0. */
const firstKinds: Readonly<Record<string, readonly string[]>> = {
  percent: ['kind', 'percent'],
  fixed: ['kind', 'amounts'],
  free_shipping: ['kind'],
  buy_x_get_y: ['kind', 'buyQuantity', 'getQuantity', 'percent', 'getConditions', 'maxSets'],
};

/**
 * What earlier releases read of a discount that they do not know: it takes nothing off, in a currency of ISO 4217 without
 * cash, in which no store sells. No request stores it today, since it has no amount.
 */
export const unknownToEarlier = { kind: 'fixed', amounts: [{ amount: 0, currency: 'USN' }] } as const;

/** The columns of a discount: one that earlier releases do not know is kept from them. */
export function columnsOf<D extends { kind: string }>(
  discount: D,
): { discount: D | typeof unknownToEarlier; offer: D | null } {
  const known = firstKinds[discount.kind];
  return known && Object.keys(discount).every((name) => known.includes(name))
    ? { discount, offer: null }
    : { discount: unknownToEarlier, offer: discount };
}

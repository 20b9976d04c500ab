/**
 * Schemas of promotions as staff manage them.
 */
import { ruleConditionSchema } from '@carton/product';
import {
  Amount,
  Currency,
  DateTime,
  type HasExtensions,
  humanText,
  integrationQuery,
  nullable,
  object,
  oneOf,
  type Static,
  shapesOf,
  type TSchema,
  Type,
  Uuid,
  withOptions,
} from '@carton/runtime';

export const statuses = ['active', 'inactive'] as const;

const Percent = Type.Number({
  exclusiveMinimum: 0,
  maximum: 100,
  description: 'Per cent, with up to five decimals',
  examples: [10],
});
const Quantity = Type.Integer({ minimum: 1, maximum: 9999, examples: [1] });
/** A number of uses. */
export const Count = Type.Integer({ minimum: 1, maximum: 2_000_000_000, examples: [100] });
const Amounts = (minItems: number, description: string) =>
  Type.Array(object({ amount: Amount, currency: Currency }), { minItems, maxItems: 200, description });

/** A condition as it is stored: the package that contributed its fact may have left the box. */
const AnyCondition = Type.Unsafe<{ fact: string; argument: unknown }>({
  type: 'object',
  properties: { fact: { type: 'string' }, argument: { type: 'object', additionalProperties: true } },
  required: ['fact', 'argument'],
  additionalProperties: false,
});
type Condition = typeof AnyCondition;

function conditionsOf(condition: Condition, description: string) {
  return Type.Array(condition, { maxItems: 20, description, examples: [[]] });
}

function discountOf(condition: Condition) {
  return Type.Union(
    [
      object({ kind: Type.Literal('percent'), percent: Percent }),
      object({ kind: Type.Literal('fixed'), amounts: Amounts(1, 'One for each currency in which it applies') }),
      object({ kind: Type.Literal('free_shipping') }),
      object({
        kind: Type.Literal('buy_x_get_y'),
        buyQuantity: Quantity,
        getQuantity: Quantity,
        percent: withOptions(Percent, { description: 'Off the units to get: 100 for free ones', examples: [100] }),
        getConditions: Type.Union([conditionsOf(condition, 'Conditions of the units to get'), Type.Null()], {
          description: 'Null: the units to get meet the conditions of those to buy',
        }),
        maxSets: nullable(withOptions(Quantity, { description: 'Most sets in one order; null for any number' })),
      }),
    ],
    { description: 'What the promotion takes off', examples: [{ kind: 'percent', percent: 10 }] },
  );
}
export type Discount = Static<ReturnType<typeof discountOf>>;

const noRules = {
  conditions: [],
  appliesTo: 'qualifying',
  minimumAmounts: [],
  minimumQuantity: 0,
  regionIds: [],
  membersOnly: false,
  firstOrder: false,
} as const;

function rulesOf(condition: Condition) {
  return object(
    {
      conditions: conditionsOf(condition, 'A line that meets all of them qualifies; without conditions, every line'),
      appliesTo: oneOf(['qualifying', 'all'], { description: 'The lines that the discount is taken off' }),
      minimumAmounts: Amounts(
        0,
        'Least sum of the qualifying lines, before discounts, in each currency; none: no minimum',
      ),
      minimumQuantity: Type.Integer({ minimum: 0, maximum: 9999, description: 'Least number of qualifying units' }),
      regionIds: Type.Array(Uuid, { maxItems: 500, description: 'Regions in which it applies; none: everywhere' }),
      membersOnly: Type.Boolean(),
      firstOrder: Type.Boolean({ description: 'Only for the first order of a member or an e-mail address' }),
    },
    { examples: [noRules] },
  );
}
export type Rules = Static<ReturnType<typeof rulesOf>>;

const LocalTime = nullable(
  Type.String({
    maxLength: 100,
    description:
      "A date or local time in the store's time zone, or a time with an offset. A date as the end includes that day",
    examples: ['2026-12-31'],
  }),
);
const Time = nullable(withOptions(DateTime, { description: 'Null: no limit. The end is not included' }));
const times = (time: TSchema) => ({ startsAt: time, endsAt: time }) as Record<'startsAt' | 'endsAt', typeof LocalTime>;
const newTime = Type.Optional(LocalTime);

function shapesWith(condition: Condition) {
  return shapesOf({
    name: 'Promotion',
    fields: {
      label: humanText(120, { description: 'Shown to shoppers', examples: ['Summer sale'] }),
      status: oneOf(statuses, { default: 'active' }),
      automatic: Type.Boolean({ default: false, description: 'Applies without a code' }),
      priority: Type.Integer({
        minimum: -1000,
        maximum: 1000,
        default: 0,
        description: 'Promotions with a higher priority apply first; of the same priority, older ones',
      }),
      exclusive: Type.Boolean({ default: false, description: 'Does not combine with other promotions' }),
      discount: discountOf(condition),
      rules: withOptions(rulesOf(condition), { default: noRules }),
      maxUses: withOptions(nullable(Count), {
        default: null,
        description: 'Orders that can use it; null for any number',
      }),
      maxUsesPerCustomer: withOptions(nullable(Count), {
        default: null,
        description: 'Orders of one member, or one e-mail address of guests; null for any number',
      }),
    },
    readOnly: { ...times(Time), uses: Type.Integer({ description: 'Orders that use it, without canceled ones' }) },
    createOnly: { startsAt: newTime, endsAt: newTime },
    updateOnly: times(LocalTime),
  });
}

export const promotionShapes = shapesWith(AnyCondition);
/** The schemas of bodies in a box, with the conditions of its packages. */
export const promotionShapesOf = (box: HasExtensions): typeof promotionShapes =>
  shapesWith(ruleConditionSchema(box) as Condition);
export type Promotion = Static<typeof promotionShapes.Item>;
export type CreatePromotion = Static<typeof promotionShapes.Create>;
export type ChangePromotion = Static<typeof promotionShapes.Change>;

export const PromotionQuery = integrationQuery({
  status: Type.Optional(oneOf(statuses)),
  automatic: Type.Optional(Type.Boolean()),
});

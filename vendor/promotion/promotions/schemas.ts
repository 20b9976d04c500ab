/**
 * Schemas of promotions, their codes and uses, and of what carts show of them.
 */
import { ruleConditionSchema } from '@carton/product';
import {
  Amount,
  Currency,
  DateTime,
  type HasExtensions,
  humanText,
  integrationQuery,
  Money,
  nullable,
  object,
  oneOf,
  pageOf,
  type Static,
  shapesOf,
  type TSchema,
  Type,
  trimmed,
  Uuid,
  withOptions,
} from '@carton/runtime';

export const statuses = ['active', 'inactive'] as const;

/** Why a promotion or a code does not apply. */
export const reasons = [
  'unknown',
  'disabled',
  'not_started',
  'expired',
  'used_up',
  'region',
  'members_only',
  'first_order_only',
  'email_needed',
  'no_matching_items',
  'currency',
  'minimum_amount',
  'minimum_quantity',
  'same_promotion',
  'excluded',
  'nothing_left',
] as const;
export type Reason = (typeof reasons)[number];

const Percent = Type.Number({
  exclusiveMinimum: 0,
  maximum: 100,
  description: 'Per cent, with up to five decimals',
  examples: [10],
});
const Quantity = Type.Integer({ minimum: 1, maximum: 9999, examples: [1] });
const Count = Type.Integer({ minimum: 1, maximum: 2_000_000_000, examples: [100] });
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

/** Without a pattern: not all tools of OpenAPI know classes of letters. `requireCode` checks it. */
const NewCode = trimmed(
  Type.String({
    minLength: 3,
    maxLength: 50,
    description:
      'Letters of any script, digits, hyphens and underscores, the first a letter or digit. Case does not matter',
    examples: ['SUMMER'],
  }),
);
const Code = Type.String({ examples: ['SUMMER'] });

export const PromotionCode = object(
  {
    id: Uuid,
    promotionId: Uuid,
    code: Code,
    maxUses: nullable(Count),
    uses: Type.Integer({ description: 'Orders that use it, without canceled ones' }),
    disabledAt: nullable(DateTime),
    createdAt: DateTime,
  },
  { $id: 'PromotionCode' },
);
export type PromotionCode = Static<typeof PromotionCode>;
export const PromotionCodePage = pageOf(PromotionCode, 'PromotionCodePage');

export const CreatePromotionCodes = object(
  {
    codes: Type.Optional(Type.Array(NewCode, { minItems: 1, maxItems: 1000, description: 'Codes to add' })),
    generate: Type.Optional(
      object(
        {
          count: Type.Integer({ minimum: 1, maximum: 10_000, examples: [100] }),
          prefix: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: 30,
              description: 'With the characters of codes',
              examples: ['SPRING'],
            }),
          ),
        },
        { description: 'Random codes to generate' },
      ),
    ),
    maxUses: Type.Optional(
      withOptions(nullable(Count), {
        description: 'Uses of each code. Default: 1 for generated codes, else any number',
      }),
    ),
  },
  { $id: 'CreatePromotionCodes', description: 'Either `codes` or `generate`' },
);
export type CreatePromotionCodes = Static<typeof CreatePromotionCodes>;

export const CreatedPromotionCodes = object(
  { codes: Type.Array(Code, { description: 'The new codes' }) },
  { $id: 'CreatedPromotionCodes' },
);

export const PromotionUsage = object(
  {
    id: Uuid,
    orderId: Uuid,
    code: nullable(Type.String({ examples: ['SUMMER'] })),
    amount: Money,
    createdAt: DateTime,
    returnedAt: nullable(withOptions(DateTime, { description: 'When the order was canceled, which returned the use' })),
  },
  { $id: 'PromotionUsage', description: 'The use of a promotion by an order, and what it took off' },
);
export type PromotionUsage = Static<typeof PromotionUsage>;
export const PromotionUsagePage = pageOf(PromotionUsage, 'PromotionUsagePage');

/** A code as shoppers type it. */
const TypedCode = Type.String({ minLength: 1, maxLength: 50, examples: ['summer'] });
export const ApplyPromotionCode = object({ code: TypedCode }, { $id: 'ApplyPromotionCode' });
export const AppliedCodePath = object({ code: TypedCode });
export const PromotionChoice = object({ codes: Type.Array(TypedCode, { maxItems: 10 }) });

export const CartPromotion = object(
  {
    code: nullable(Type.String({ description: 'Null for an automatic promotion', examples: ['SUMMER'] })),
    label: nullable(Type.String({ description: 'Null for a code that no longer exists', examples: ['Summer sale'] })),
    applied: Type.Boolean(),
    amount: Money,
    reason: nullable(oneOf(reasons, { description: 'Why it does not apply; null if it does' })),
  },
  { $id: 'CartPromotion', description: '`amount` is what it takes off: zero or below' },
);
export const CartPromotions = Type.Array(CartPromotion, {
  description:
    'The codes of the cart, and the automatic promotions that apply or whose minimum is not reached yet, in the order ' +
    'in which they apply. Empty while the cart is',
});

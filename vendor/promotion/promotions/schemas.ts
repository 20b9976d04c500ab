/**
 * Schemas of promotions as staff manage them.
 */
import { ruleConditionSchema } from '@carton/product';
import {
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
import { Amounts, discountOf } from './kinds.ts';

export const statuses = ['active', 'inactive'] as const;

/** A number of uses. */
export const Count = Type.Integer({ minimum: 1, maximum: 2_000_000_000, examples: [100] });
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

const discountWith = (condition: Condition) => discountOf((description) => conditionsOf(condition, description));
export type Discount = Static<ReturnType<typeof discountWith>>;

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
      discount: discountWith(condition),
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

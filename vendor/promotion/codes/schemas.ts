/**
 * Schemas of codes: as staff add and list them, and as shoppers type them.
 */
import { DateTime, nullable, object, pageOf, type Static, Type, trimmed, Uuid, withOptions } from '@carton/runtime';
import { Count } from '../promotions/schemas.ts';

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

/** A code as shoppers type it. */
export const TypedCode = Type.String({ minLength: 1, maxLength: 50, examples: ['summer'] });

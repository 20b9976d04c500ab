/**
 * What staff state to issue a credit note.
 */
import { PositiveMoney } from '@carton/payment';
import { humanLines, object, Type, Uuid } from '@carton/runtime';

export const CreateCreditNote = object(
  {
    amount: Type.Optional(PositiveMoney),
    items: Type.Optional(
      Type.Array(
        object({ lineItemId: Uuid, quantity: Type.Integer({ minimum: 1, examples: [1] }) }, { $id: 'CreditNoteItem' }),
        { minItems: 1, maxItems: 1000, description: 'Units of items to credit, instead of an amount' },
      ),
    ),
    shipping: Type.Optional(
      Type.Unsafe<true | string[]>({
        anyOf: [
          { type: 'boolean', const: true },
          {
            type: 'array',
            items: Type.String({ minLength: 1, maxLength: 200, examples: ['standard'] }),
            minItems: 1,
            maxItems: 100,
            uniqueItems: true,
          },
        ],
        description: 'Shipping charges to credit, by their codes, or true for all that are left',
        examples: [true, ['standard']],
      }),
    ),
    reason: Type.Optional(humanLines(500, { examples: ['Arrived broken'] })),
  },
  { $id: 'CreateCreditNote', description: 'Without an amount, items and shipping, all that is left is credited' },
);

/**
 * Shapes that several subjects share.
 */
import {
  DateTime,
  Email,
  type ExportSection,
  humanText,
  Locale,
  nullable,
  object,
  oneOf,
  Phone,
  type Static,
  TaxNumber,
  Type,
  Uuid,
  withOptions,
} from '@carton/runtime';

export const statuses = ['active', 'disabled'] as const;
export const Status = oneOf(statuses, { description: 'A disabled member cannot log in' });

const Name = humanText(200, { examples: ['Ada Lovelace'] });
export const profileFields = {
  name: nullable(Name),
  phone: nullable(Phone),
  locale: nullable(Locale),
  taxNumber: withOptions(nullable(TaxNumber), {
    description: `${TaxNumber.description}. The default of the member's cart`,
  }),
};
export const AcceptsMarketing = Type.Boolean({ description: 'Whether the member agrees to receive advertising' });
const MarketingSource = humanText(120, {
  description: 'Where the member gave or withdrew consent: `registration`, `account`, or as staff noted it',
  examples: ['registration'],
});
export const emailVerifiedAt = nullable(
  withOptions(DateTime, { description: 'When the address was verified; null if it has not been' }),
);
export const consentFields = {
  acceptsMarketing: AcceptsMarketing,
  marketingChangedAt: nullable(withOptions(DateTime, { description: 'When consent was last given or withdrawn' })),
  marketingSource: nullable(MarketingSource),
};

/** A member, as shown to the person. */
export const Member = object(
  {
    id: Uuid,
    email: Email,
    emailVerifiedAt,
    ...profileFields,
    ...consentFields,
    createdAt: DateTime,
    updatedAt: DateTime,
  },
  { $id: 'Member' },
);
export type Member = Static<typeof Member>;

/** The export of a person's data: its sections are those of the packages of the box. */
export const PersonalDataExport = Type.Unsafe<Record<string, ExportSection>>({
  type: 'object',
  $id: 'PersonalDataExport',
  description: 'All data about the person, by section, with its purposes and how long it is stored',
  additionalProperties: {
    type: 'object',
    properties: {
      reasons: {
        type: 'array',
        items: {
          type: 'object',
          properties: { reason: { type: 'string' }, kept: { type: 'string' } },
          required: ['reason', 'kept'],
        },
      },
      data: {},
    },
    required: ['reasons', 'data'],
  },
});

/**
 * Shapes of members, as staff manage them.
 */
import {
  DateTime,
  Email,
  humanText,
  integrationQuery,
  KnownEmail,
  maxWordLength,
  nullable,
  object,
  type Static,
  shapesOf,
  Type,
  withOptions,
} from '@carton/runtime';
import { MemberAddress } from '../addresses/schemas.ts';
import { AcceptsMarketing, consentFields, emailVerifiedAt, profileFields, Status } from '../schemas.ts';

const TaxExempt = withOptions(
  nullable(humanText(500, { examples: ['Certificate 4711 of the tax office, until 2027'] })),
  {
    default: null,
    description: 'Why the member buys without tax: a reason or a certificate, for staff only. Null: with tax',
  },
);

export const adminShapes = shapesOf({
  name: 'MemberAccount',
  itemName: 'AdminMember',
  fields: {
    email: Email,
    name: withOptions(profileFields.name, { default: null }),
    phone: withOptions(profileFields.phone, { default: null }),
    locale: withOptions(profileFields.locale, { default: null }),
    taxNumber: withOptions(profileFields.taxNumber, { default: null }),
    taxExempt: TaxExempt,
    acceptsMarketing: withOptions(AcceptsMarketing, { default: false }),
    marketingSource: withOptions(consentFields.marketingSource, { default: null }),
  },
  readOnly: { status: Status, emailVerifiedAt, marketingChangedAt: consentFields.marketingChangedAt },
  updateOnly: { status: Status },
});
export type CreateMember = Static<typeof adminShapes.Create>;
export type ChangeMember = Static<typeof adminShapes.Change>;

/** A member with all addresses. */
export const AdminMemberDetail = object(
  {
    ...adminShapes.Item.properties,
    addresses: Type.Array(MemberAddress, { description: 'Newest first, at most 100' }),
  },
  { $id: 'AdminMemberDetail' },
);
export type AdminMemberDetail = Static<typeof AdminMemberDetail>;

export const MemberQuery = integrationQuery({
  email: Type.Optional(withOptions(KnownEmail, { description: 'Case-insensitive' })),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: maxWordLength,
      pattern: '\\S',
      description:
        'Beginning of words of the name, or of the e-mail address; case-insensitive. The list is then in the order of the words that match, and with further filters a page may have fewer items than `limit`, even none, and a `nextCursor`.',
      examples: ['ada'],
    }),
  ),
  status: Type.Optional(Status),
  acceptsMarketing: Type.Optional(AcceptsMarketing),
  createdFrom: Type.Optional(withOptions(DateTime, { description: 'Created at this time or later' })),
  createdTo: Type.Optional(withOptions(DateTime, { description: 'Created before this time' })),
});
export type MemberQuery = Static<typeof MemberQuery>;

/**
 * Schemas of members and their sessions.
 */
import { ExistingPassword, Password, sessionFields, Token } from '@carton/auth';
import {
  Country,
  changeOf,
  DateTime,
  Email,
  type ExportSection,
  humanText,
  integrationQuery,
  KnownEmail,
  Locale,
  maxWordLength,
  nullable,
  object,
  oneOf,
  Phone,
  pageOf,
  type Static,
  shapesOf,
  Type,
  Uuid,
  withOptions,
} from '@carton/runtime';

export const statuses = ['active', 'disabled'] as const;
const Status = oneOf(statuses, { description: 'A disabled member cannot log in' });

const Name = humanText(200, { examples: ['Ada Lovelace'] });
export const profileFields = { name: nullable(Name), phone: nullable(Phone), locale: nullable(Locale) };
const AcceptsMarketing = Type.Boolean({ description: 'Whether the member agrees to receive advertising' });
export const MarketingSource = Type.String({
  minLength: 1,
  maxLength: 120,
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

export const RegisterMember = object(
  {
    email: Email,
    password: Password,
    name: Type.Optional(profileFields.name),
    phone: Type.Optional(profileFields.phone),
    locale: Type.Optional(profileFields.locale),
    acceptsMarketing: Type.Optional(AcceptsMarketing),
  },
  { $id: 'RegisterMember' },
);
export type RegisterMember = Static<typeof RegisterMember>;

export const VerifyEmail = object(
  {
    token: Token,
    password: Type.Optional(
      withOptions(Password, {
        description:
          'Sets the password of a new account where the link is used in another session than that of the registration. Of a change of the address, the password of the account, unless the member is logged in',
      }),
    ),
  },
  { $id: 'VerifyEmail' },
);
export const RequestVerification = object({ email: KnownEmail }, { $id: 'RequestVerification' });
export const ChangeEmail = object({ email: Email, password: ExistingPassword }, { $id: 'ChangeMemberEmail' });

export const MemberLogIn = object(sessionFields, { $id: 'MemberLogIn' });
export type MemberLogIn = Static<typeof MemberLogIn>;

export const MemberSession = object(
  {
    id: Uuid,
    address: Type.String({ description: 'IP address of the log-in', examples: ['192.0.2.7'] }),
    userAgent: Type.String({ examples: ['Mozilla/5.0'] }),
    current: Type.Boolean({ description: 'Whether it is the session of this request' }),
    createdAt: DateTime,
    expiresAt: DateTime,
  },
  { $id: 'MemberSession' },
);
export const MemberSessionPage = pageOf(MemberSession, 'MemberSessionPage');

export const ChangeOwnMember = changeOf(
  {
    ...profileFields,
    acceptsMarketing: AcceptsMarketing,
    password: withOptions(Password, { description: 'The new password. Setting it ends all other sessions' }),
    currentPassword: withOptions(ExistingPassword, { description: 'Required with `password`' }),
  },
  { $id: 'ChangeMember' },
);
export type ChangeOwnMember = Static<typeof ChangeOwnMember>;

const text = (maxLength: number, example: string) => humanText(maxLength, { examples: [example] });
const requiredOfAddress = {
  name: text(200, 'Ada Lovelace'),
  line1: text(200, '12 Rue des Lilas'),
  country: Country,
};
const optionalOfAddress = {
  company: nullable(text(200, 'Analytical Engines Ltd')),
  line2: nullable(text(200, 'Third floor')),
  city: withOptions(nullable(text(100, 'Lyon')), { description: 'Required in countries whose addresses have one' }),
  province: nullable(text(100, 'Auvergne-Rhône-Alpes')),
  postalCode: nullable(text(20, '69003')),
  phone: nullable(Phone),
};
const defaults = {
  defaultShipping: Type.Boolean({ description: 'Whether it is the default for shipping, as one address at most is' }),
  defaultBilling: Type.Boolean({ description: 'Whether it is the default for billing, as one address at most is' }),
};

export const MemberAddress = object(
  { id: Uuid, ...requiredOfAddress, ...optionalOfAddress, ...defaults, createdAt: DateTime, updatedAt: DateTime },
  { $id: 'MemberAddress' },
);
export type MemberAddress = Static<typeof MemberAddress>;
export const MemberAddressPage = pageOf(MemberAddress, 'MemberAddressPage');

/** The body that creates an address; omitted fields become null, and omitted defaults false. */
export const CreateMemberAddress = object(
  { ...requiredOfAddress, ...Type.Partial(Type.Object({ ...optionalOfAddress, ...defaults })).properties },
  { $id: 'CreateMemberAddress' },
);
export type CreateMemberAddress = Static<typeof CreateMemberAddress>;
export const ChangeMemberAddress = changeOf(
  { ...requiredOfAddress, ...optionalOfAddress, ...defaults },
  { $id: 'ChangeMemberAddress' },
);
export type ChangeMemberAddress = Static<typeof ChangeMemberAddress>;

export const adminShapes = shapesOf({
  name: 'MemberAccount',
  itemName: 'AdminMember',
  fields: {
    email: Email,
    name: withOptions(profileFields.name, { default: null }),
    phone: withOptions(profileFields.phone, { default: null }),
    locale: withOptions(profileFields.locale, { default: null }),
    acceptsMarketing: withOptions(AcceptsMarketing, { default: false }),
    marketingSource: withOptions(consentFields.marketingSource, { default: null }),
  },
  readOnly: { status: Status, emailVerifiedAt, marketingChangedAt: consentFields.marketingChangedAt },
  updateOnly: { status: Status },
});
export type AdminMember = Static<typeof adminShapes.Item>;
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

export const EraseMember = object({ password: ExistingPassword }, { $id: 'EraseMember' });

/**
 * Schemas of members and their sessions.
 */
import { ExistingPassword, Password, sessionFields, Token } from '@carton/auth';
import {
  changeOf,
  DateTime,
  Email,
  Locale,
  nullable,
  object,
  Phone,
  pageOf,
  type Static,
  Type,
  Uuid,
  withOptions,
} from '@carton/runtime';

export const statuses = ['active', 'disabled'] as const;

const Name = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S', examples: ['Ada Lovelace'] });
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

export const VerifyEmail = object({ token: Token }, { $id: 'VerifyEmail' });
export const RequestVerification = object({ email: Email }, { $id: 'RequestVerification' });
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

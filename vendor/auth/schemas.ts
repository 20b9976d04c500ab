/**
 * Shapes of staff, sessions and invites.
 */
import {
  changeOf,
  DateTime,
  Email,
  externalFields,
  humanText,
  integrationPageOf,
  KnownEmail,
  Locale,
  nullable,
  object,
  oneOf,
  pageOf,
  type Static,
  Type,
  Uuid,
  withOptions,
} from '@carton/runtime';

export const roles = ['owner', 'manager', 'viewer'] as const;
export type Role = (typeof roles)[number];
const Role = oneOf(roles, { description: 'owner: everything; manager: everything but staff; viewer: reads only' });
const Name = humanText(120, { examples: ['Ada Lovelace'] });
export const Password = Type.String({ minLength: 10, maxLength: 200, examples: ['correct horse battery'] });
const StaffStatus = oneOf(['active', 'disabled'], { description: 'A disabled person cannot log in' });
export const exampleToken = 'Jm4PZbT0rjYp3hL1sVw8QkXc6NfUgE2aMdRyOiB5H7t';
export const Token = Type.String({ minLength: 20, maxLength: 100, examples: [exampleToken] });

export const StaffUser = object(
  {
    id: Uuid,
    email: Email,
    name: Name,
    role: Role,
    status: StaffStatus,
    locale: nullable(Locale),
    ...externalFields,
    createdAt: DateTime,
    updatedAt: DateTime,
  },
  { $id: 'StaffUser' },
);
export type StaffUser = Static<typeof StaffUser>;
export const StaffUserPage = integrationPageOf(StaffUser, 'StaffUserPage');

export const KeyPermissions = Type.Array(Type.String({ examples: ['order:read'] }), {
  description:
    'What the key may do now: its scopes, as far as the person responsible and the keys above it have these permissions. ' +
    'Empty once it has ended',
});

/** An API key, as shown with the person responsible for it. */
export const StaffKey = object(
  {
    id: Uuid,
    name: Type.String({ examples: ['Warehouse'] }),
    lastFour: Type.String({ examples: ['9f3a'] }),
    permissions: KeyPermissions,
    createdAt: DateTime,
    revokedAt: nullable(DateTime),
  },
  { $id: 'StaffKey' },
);
export type StaffKey = Static<typeof StaffKey>;

const apiKeys = Type.Array(StaffKey, {
  description: 'The newest keys for which this person is responsible, at most 100',
});
export const StaffUserWithKeys = object({ ...StaffUser.properties, apiKeys }, { $id: 'StaffUserWithKeys' });
export type StaffUserWithKeys = Static<typeof StaffUserWithKeys>;
export const RemovedStaffUser = object({ id: Uuid, apiKeys }, { $id: 'RemovedStaffUser' });
export type RemovedStaffUser = Static<typeof RemovedStaffUser>;

const keepApiKeys = Type.Boolean({ description: "Whether to keep the person's API keys instead of revoking them" });
export const RemoveStaffUser = object({ keepApiKeys: Type.Optional(keepApiKeys) });

export const Me = object(
  { ...StaffUser.properties, permissions: Type.Array(Type.String({ examples: ['order:read'] })) },
  { $id: 'Me' },
);

/** A password to be verified. It may have been chosen under earlier rules. */
export const ExistingPassword = Type.String({ minLength: 1, maxLength: 200, examples: ['correct horse battery'] });

export const LogIn = object(
  {
    email: KnownEmail,
    password: ExistingPassword,
    cookie: Type.Optional(
      Type.Boolean({ description: 'For browsers: store the session in a cookie that scripts cannot read' }),
    ),
    device: Type.Optional(
      nullable(
        Type.String({
          minLength: 20,
          maxLength: 100,
          description: 'For clients without cookies: `device` of an earlier response, or null to get one',
          examples: [exampleToken],
        }),
      ),
    ),
  },
  { $id: 'LogIn' },
);
export type LogIn = Static<typeof LogIn>;
export const sessionFields = {
  token: nullable(
    Type.String({
      description: 'Send it as Authorization: Bearer. Null if the session is in a cookie',
      examples: [exampleToken],
    }),
  ),
  expiresAt: DateTime,
  device: nullable(
    Type.String({
      description:
        'If `device` was sent: store it and send it with the next log-in, so that guesses from elsewhere do not delay this device',
      examples: [exampleToken],
    }),
  ),
};
/** A code of an authenticator or a recovery code. */
const Code = Type.String({
  minLength: 6,
  maxLength: 40,
  description: 'A code of the authenticator, or a recovery code',
  examples: ['123456'],
});
const TimeCode = Type.String({
  minLength: 6,
  maxLength: 40,
  description: 'A code of the authenticator',
  examples: ['123456'],
});
const { cookie, device } = LogIn.properties;
export const CompleteLogIn = object({ challenge: Token, code: Code, cookie, device }, { $id: 'CompleteLogIn' });
export type CompleteLogIn = Static<typeof CompleteLogIn>;

export const SecondFactor = object(
  {
    enabled: Type.Boolean(),
    enabledAt: nullable(DateTime),
    recoveryCodesLeft: Type.Integer({ minimum: 0, maximum: 10, examples: [10] }),
  },
  { $id: 'SecondFactor' },
);
export type SecondFactor = Static<typeof SecondFactor>;
export const BeginSecondFactor = object({ password: ExistingPassword }, { $id: 'BeginSecondFactor' });
export const PendingSecondFactor = object(
  {
    uri: Type.String({
      description: 'Show it as a QR code for the authenticator to read',
      examples: ['otpauth://totp/Shop:ada%40example.com?issuer=Shop&secret=JBSWY3DPEHPK3PXP'],
    }),
    secret: Type.String({ description: 'For typing, in base32', examples: ['JBSWY3DPEHPK3PXP'] }),
  },
  { $id: 'PendingSecondFactor' },
);
export const ConfirmSecondFactor = object({ code: TimeCode }, { $id: 'ConfirmSecondFactor' });
export const DisableSecondFactor = object({ password: ExistingPassword, code: Code }, { $id: 'DisableSecondFactor' });
export const RecoveryCodes = object(
  {
    recoveryCodes: Type.Array(Type.String({ examples: ['abcd-efgh-2345-6767'] }), {
      description: 'Shown only here; each works once in place of a code',
    }),
  },
  { $id: 'RecoveryCodes' },
);

export const StaffSession = object(sessionFields, { $id: 'StaffSession' });

/** An open session, as its owner sees it. */
export const OwnStaffSession = object(
  {
    id: Uuid,
    address: Type.String({ description: 'IP address of the log-in', examples: ['192.0.2.7'] }),
    userAgent: Type.String({ examples: ['Mozilla/5.0'] }),
    current: Type.Boolean({ description: 'Whether it is the session of this request' }),
    createdAt: DateTime,
    expiresAt: DateTime,
  },
  { $id: 'OwnStaffSession' },
);
export const OwnStaffSessionPage = pageOf(OwnStaffSession, 'OwnStaffSessionPage');

export const ForgottenPassword = object({ email: KnownEmail }, { $id: 'ForgottenPassword' });
export const ResetPassword = object({ token: Token, password: Password }, { $id: 'ResetPassword' });

export const RequestEmailChange = object(
  {
    email: withOptions(Email, { description: 'The new address' }),
    password: ExistingPassword,
    code: Type.Optional(withOptions(Code, { description: 'Required while the second factor is enabled' })),
  },
  { $id: 'RequestEmailChange' },
);
export type RequestEmailChange = Static<typeof RequestEmailChange>;
export const ConfirmEmailChange = object({ token: Token }, { $id: 'ConfirmEmailChange' });

export const ChangeMe = changeOf(
  {
    name: Name,
    locale: nullable(Locale),
    password: Type.String({ ...Password, description: 'The new password. Setting it ends all other sessions' }),
    currentPassword: Type.String({ ...ExistingPassword, description: 'Required with `password`' }),
  },
  { $id: 'ChangeMe' },
);
export type ChangeMe = Static<typeof ChangeMe>;
export const ChangeStaffUser = changeOf(
  { role: Role, status: StaffStatus, ...externalFields, keepApiKeys },
  { $id: 'ChangeStaffUser' },
);
export type ChangeStaffUser = Static<typeof ChangeStaffUser>;

export const StaffInvite = object(
  { id: Uuid, email: Email, role: Role, createdAt: DateTime, expiresAt: DateTime },
  { $id: 'StaffInvite' },
);
export const StaffInvitePage = pageOf(StaffInvite, 'StaffInvitePage');
export const CreateInvite = object({ email: Email, role: Role }, { $id: 'CreateInvite' });
export const CreatedInvite = object(
  {
    ...StaffInvite.properties,
    token: Type.String({ description: 'Shown only here; pass it to the invited person', examples: [exampleToken] }),
  },
  { $id: 'CreatedInvite' },
);
export const AcceptInvite = object({ token: Token, name: Name, password: Password }, { $id: 'AcceptInvite' });

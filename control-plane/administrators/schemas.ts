/**
 * Schemas of administrators and of the journal.
 */
import {
  changeOf,
  DateTime,
  nullable,
  object,
  oneOf,
  pageOf,
  type Static,
  Type,
  Uuid,
  withOptions,
} from '@carton/runtime/service';
import { roles } from './roles.ts';

/** Without capitals and spaces, so that it cannot be taken for another, or for a secret of the settings. */
const AdministratorName = Type.String({
  minLength: 1,
  maxLength: 120,
  pattern: '^[a-z0-9][a-z0-9._@+-]*$',
  description: 'Unique, for example a mail address',
  examples: ['ada@vendor.example'],
});

const AdministratorRole = oneOf(roles, {
  description:
    '`reader` reads, `manager` also changes, `owner` also manages administrators and webhooks, and rotates signing keys',
});

const Expiry = nullable(
  Type.String({ format: 'date-time', description: 'In the future; null if the administrator never expires' }),
);

export const CreateAdministrator = object(
  { name: AdministratorName, role: AdministratorRole, expiresAt: Type.Optional(Expiry) },
  { $id: 'CreateAdministrator' },
);

export const ChangeAdministrator = changeOf(
  {
    role: AdministratorRole,
    disabled: Type.Boolean({ description: 'Whether the secrets are refused' }),
    expiresAt: Expiry,
  },
  { $id: 'ChangeAdministrator' },
);

export const ReplaceAdministratorSecret = object(
  {
    overlapHours: Type.Integer({
      minimum: 0,
      maximum: 24,
      default: 0,
      description: 'For how long the former secret stays valid',
    }),
  },
  { $id: 'ReplaceAdministratorSecret' },
);

const administrator = {
  id: Uuid,
  name: AdministratorName,
  role: AdministratorRole,
  disabled: Type.Boolean(),
  expiresAt: nullable(DateTime),
  lastUsedAt: withOptions(nullable(DateTime), { description: 'To the minute' }),
  createdAt: DateTime,
};
export const Administrator = object(administrator, { $id: 'Administrator' });
export type Administrator = Static<typeof Administrator>;
export const AdministratorPage = pageOf(Administrator, 'AdministratorPage');

export const AdministratorWithSecret = object(
  {
    secret: Type.String({ description: 'The bearer secret, which cannot be read again' }),
    ...administrator,
  },
  { $id: 'AdministratorWithSecret' },
);

const Position = Type.Integer({ minimum: 1, description: 'Place in the journal, from 1 without gaps' });
const Hash = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the row and of the hash before it' });

export const JournalRow = object(
  {
    position: Position,
    id: Uuid,
    createdAt: DateTime,
    administratorId: withOptions(nullable(Uuid), { description: 'Null for a secret of the settings' }),
    administrator: Type.String({
      description: 'The name, or the setting whose secret was sent',
      examples: ['ada@vendor.example', 'ADMIN_SECRET'],
    }),
    role: Type.String({ description: 'The role at that time', examples: ['manager'] }),
    operationId: Type.String({ examples: ['suspendLicense'] }),
    method: Type.String({ examples: ['POST'] }),
    path: Type.String({ examples: ['/license/keys/01990000-0000-7000-8000-000000000000/suspend'] }),
    requestId: Type.String({ description: '`X-Request-Id` of the response' }),
    status: Type.Integer({ description: 'Status of the response', examples: [200] }),
    address: Type.String({ description: 'The address, of IPv6 the /64 network', examples: ['192.0.2.7'] }),
    change: Type.String({
      description: 'The fields that were sent, as JSON. Values are noted only of fields that hold no secrets or texts',
      examples: ['{"tier":"growth","notes":"not noted"}'],
    }),
    hash: Hash,
  },
  { $id: 'JournalRow' },
);
export type JournalRow = Static<typeof JournalRow>;
export const JournalPage = pageOf(JournalRow, 'JournalPage');

export const JournalVerification = object(
  {
    rows: Type.Integer({ description: 'How many rows fit, from the first' }),
    hash: withOptions(nullable(Hash), {
      description: 'The hash of the last row that fits. Note it elsewhere: a later journal must contain it',
    }),
    firstWrong: withOptions(nullable(Position), {
      description: 'The first row that is missing or was changed; null if all fit',
    }),
    keyedFrom: Type.Optional(
      withOptions(Position, {
        description:
          'The first row whose hash has a key that is not in the database. Absent while no row was written with SIGNING_KEY_SECRET',
      }),
    ),
  },
  { $id: 'JournalVerification' },
);
export type JournalVerification = Static<typeof JournalVerification>;

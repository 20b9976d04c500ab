/**
 * Schemas of tenants and their hosts.
 */
import { type QuotaLimits, quotaLimitsSchema, TenantQuotaUsage } from '@carton/core';
import {
  Currency,
  changeOf,
  DateTime,
  DomainRecord,
  Email,
  humanText,
  Locale,
  nullable,
  object,
  onceForBox,
  oneOf,
  pageOf,
  recordFaultCodes,
  type Static,
  Type,
  tenantStatuses,
  Uuid,
  withOptions,
} from '@carton/runtime';

const Slug = Type.String({ pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', minLength: 1, maxLength: 63, examples: ['demo'] });
const Name = humanText(120, { examples: ['Demo Store'] });

export const TenantResource = object(
  {
    id: Uuid,
    slug: Slug,
    name: Name,
    status: oneOf(tenantStatuses),
    deletedAt: withOptions(nullable(DateTime), { description: 'When the tenant was deleted' }),
    deletionAt: withOptions(nullable(DateTime), {
      description: 'When the data of a deleted tenant is removed; until then it can be reinstated',
    }),
    createdAt: DateTime,
    updatedAt: DateTime,
  },
  { $id: 'Tenant' },
);
export const TenantPage = pageOf(TenantResource, 'TenantPage');

export const CreateTenant = object(
  {
    slug: Slug,
    name: Name,
    staffEmail: Email,
    defaultCurrency: Type.Optional(Currency),
    defaultLocale: Type.Optional(Locale),
    /** Limits of the box's quotas: see `createTenantSchema`. */
    quotas: Type.Optional(Type.Unsafe<QuotaLimits>({ type: 'object' })),
  },
  { $id: 'CreateTenant' },
);
export type CreateTenant = Static<typeof CreateTenant>;

export const CreatedTenant = object(
  {
    ...TenantResource.properties,
    invite: nullable(
      object(
        {
          token: Type.String({
            description: 'Shown only here; accepts the first invite',
            examples: ['Jm4PZbT0rjYp3hL1sVw8QkXc6NfUgE2aMdRyOiB5H7t'],
          }),
          expiresAt: DateTime,
        },
        { $id: 'FirstInvite' },
      ),
    ),
  },
  { $id: 'CreatedTenant' },
);

const changeable = { name: Name, status: oneOf(tenantStatuses) };
export const ChangeTenant = changeOf(
  { ...changeable, quotas: Type.Unsafe<QuotaLimits>({ type: 'object' }) },
  { $id: 'ChangeTenant' },
);
export type ChangeTenant = Static<typeof ChangeTenant>;

const quotasOf = onceForBox(quotaLimitsSchema);
/** The bodies with the quotas of the box's packages. */
export const createTenantSchema = onceForBox((box) =>
  object({ ...CreateTenant.properties, quotas: Type.Optional(quotasOf(box)) }, { $id: 'CreateTenant' }),
);
export const changeTenantSchema = onceForBox((box) =>
  changeOf({ ...changeable, quotas: quotasOf(box) }, { $id: 'ChangeTenant' }),
);

export const TenantQuotaList = object({ items: Type.Array(TenantQuotaUsage) }, { $id: 'TenantQuotaList' });

/** A host, exact or with `*.` before it. It is stored in lower case and ASCII. */
const Host = Type.String({ minLength: 1, maxLength: 253, examples: ['shop.example.com', '*.example.com'] });

const DomainFault = object(
  {
    code: oneOf(recordFaultCodes, {
      description: '`lookup_failed`: the DNS lookup failed, so the record could not be checked',
    }),
    detail: Type.String(),
    fix: Type.String({ description: 'How to correct it' }),
  },
  { $id: 'DomainFault' },
);
export type DomainFault = Static<typeof DomainFault>;

export const TenantDomain = object(
  {
    id: Uuid,
    host: Host,
    state: oneOf(['pending', 'proved', 'approved'], {
      description: 'A pending host is not served until DNS proves it or the operator approves it',
    }),
    record: nullable(DomainRecord),
    checkedAt: nullable(Type.String({ ...DateTime, description: 'When DNS was last queried' })),
    error: nullable(DomainFault),
    createdAt: DateTime,
  },
  { $id: 'TenantDomain' },
);
export type TenantDomain = Static<typeof TenantDomain>;
export const TenantDomainList = object({ items: Type.Array(TenantDomain) }, { $id: 'TenantDomainList' });
export const AddTenantDomain = object({ host: Host }, { $id: 'AddTenantDomain' });
export const TenantLookup = object({ tenantSlug: Slug }, { $id: 'TenantLookup' });

export const exportStates = ['pending', 'running', 'ready', 'failed'] as const;

export const TenantExport = object(
  {
    id: Uuid,
    state: oneOf(exportStates),
    progress: object(
      {
        tables: Type.Integer({ minimum: 0, description: 'Tables written' }),
        rows: Type.Integer({ minimum: 0, description: 'Rows written' }),
        files: Type.Integer({ minimum: 0, description: 'Files written' }),
      },
      { $id: 'TenantExportProgress' },
    ),
    size: withOptions(nullable(Type.Integer({ minimum: 1 })), { description: 'Of the file, in bytes' }),
    sha256: withOptions(nullable(Type.String()), { description: 'Of the file, in hexadecimal' }),
    error: withOptions(nullable(Type.String()), { description: 'Why it failed' }),
    expiresAt: withOptions(nullable(DateTime), { description: 'When the file is deleted' }),
    createdAt: DateTime,
    updatedAt: DateTime,
  },
  { $id: 'TenantExport' },
);
export type TenantExport = Static<typeof TenantExport>;

/**
 * Schemas of tenants.
 */
import { type QuotaLimits, quotaLimitsSchema, TenantQuotaUsage } from '@carton/core';
import {
  Currency,
  changeOf,
  DateTime,
  Email,
  humanText,
  Locale,
  nullable,
  object,
  onceForBox,
  oneOf,
  pageOf,
  type Static,
  Type,
  tenantStatuses,
  Uuid,
  withOptions,
} from '@carton/runtime';

export const Slug = Type.String({
  pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
  minLength: 1,
  maxLength: 63,
  examples: ['demo'],
});
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

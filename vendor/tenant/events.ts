/**
 * Events of tenant.
 */
import { DateTime, defineEvent, object, Type } from '@carton/runtime';

const TenantPayload = object({ slug: Type.String() });

export const tenantCreated = defineEvent({
  type: 'tenant.created',
  summary: 'A tenant was created',
  payload: TenantPayload,
});
export const tenantSuspended = defineEvent({
  type: 'tenant.suspended',
  summary: 'A tenant was suspended',
  payload: TenantPayload,
});
export const tenantDeleted = defineEvent({
  type: 'tenant.deleted',
  summary: 'A tenant was deleted: it is suspended, and its data is removed at `deletionAt`',
  payload: object({ ...TenantPayload.properties, deletionAt: DateTime }),
});
export const domainAdded = defineEvent({
  type: 'tenant_domain.added',
  summary: 'A tenant is served at another host',
  payload: object({ host: Type.String() }),
});

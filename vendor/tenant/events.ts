/**
 * Events of tenant.
 */
import { defineEvent, object, Type } from '@carton/runtime';

const TenantFact = object({ slug: Type.String(), name: Type.String() });

export const tenantCreated = defineEvent({ type: 'tenant.created', summary: 'A shop was opened', payload: TenantFact });
export const tenantSuspended = defineEvent({
  type: 'tenant.suspended',
  summary: 'A shop was suspended',
  payload: TenantFact,
});
export const domainAdded = defineEvent({
  type: 'tenant_domain.added',
  summary: 'A shop is served at another host',
  payload: object({ host: Type.String() }),
});

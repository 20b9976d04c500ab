/**
 * Problems of tenants and hosts.
 */
import { defineProblem } from '@carton/runtime';

export const hostTaken = defineProblem({
  code: 'host_taken',
  status: 409,
  title: 'This host already belongs to a tenant',
});
export const removalStarted = defineProblem({
  code: 'tenant_removal_started',
  status: 409,
  title: 'The data of this tenant is being removed',
});
export const exportNotReady = defineProblem({
  code: 'tenant_export_not_ready',
  status: 409,
  title: 'The export of this tenant is not ready',
});

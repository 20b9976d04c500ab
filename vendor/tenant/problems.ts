/**
 * Problems of hosts.
 */
import { defineProblem } from '@carton/runtime';

export const hostTaken = defineProblem({
  code: 'host_taken',
  status: 409,
  title: 'This host already belongs to a tenant',
});
export const tooManyHosts = defineProblem({
  code: 'too_many_hosts',
  status: 409,
  title: 'This tenant has the maximum number of hosts',
});

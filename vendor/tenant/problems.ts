/**
 * Problems of merchants' hosts.
 */
import { defineProblem } from '@carton/runtime';

export const hostTaken = defineProblem({
  code: 'host_taken',
  status: 409,
  title: 'This host belongs to a shop already',
});
export const tooManyHosts = defineProblem({
  code: 'too_many_hosts',
  status: 409,
  title: 'This shop has as many hosts as it may have',
});

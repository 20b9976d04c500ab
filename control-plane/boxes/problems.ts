/**
 * Problems of boxes and their domains.
 */
import { defineProblem } from '@carton/runtime/service';

export const domainTaken = defineProblem({
  code: 'domain_taken',
  status: 409,
  title: 'The domain belongs to another box',
});
export const hostingSecretRequired = defineProblem({
  code: 'hosting_secret_required',
  status: 403,
  title: 'Reading pending domains requires the hosting secret',
});
export const backendForbidden = defineProblem({
  code: 'backend_forbidden',
  status: 503,
  title: 'The backend of the host has an address that is not allowed',
});

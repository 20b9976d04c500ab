/**
 * What can be wrong with a licence key.
 */
import { defineProblem } from '@carton/runtime/service';

export const licenseKeyMalformed = defineProblem({
  code: 'license_key_malformed',
  status: 401,
  title: 'This is not a licence key: it is mistyped or incomplete',
});
export const licenseKeyUnknown = defineProblem({
  code: 'license_key_unknown',
  status: 401,
  title: 'This licence key is not known',
});
export const licenseExpired = defineProblem({
  code: 'license_expired',
  status: 403,
  title: 'This licence has expired',
});
export const licenseSuspended = defineProblem({
  code: 'license_suspended',
  status: 403,
  title: 'This licence is suspended',
});
export const licenseRevoked = defineProblem({
  code: 'license_revoked',
  status: 403,
  title: 'This licence has been revoked',
});
/** The same state as an obstacle to the vendor's own change of it. */
export const revokedForGood = defineProblem({
  code: 'license_revoked_for_good',
  status: 409,
  title: 'A revoked licence stays revoked',
});

/**
 * Problems of licences and their keys.
 */
import { defineProblem } from '@carton/runtime/service';

export const licenseKeyMalformed = defineProblem({
  code: 'license_key_malformed',
  status: 401,
  title: 'The licence key is mistyped or incomplete',
});
export const licenseKeyUnknown = defineProblem({
  code: 'license_key_unknown',
  status: 401,
  title: 'The licence key is unknown',
});
export const licenseExpired = defineProblem({
  code: 'license_expired',
  status: 403,
  title: 'The licence has expired',
});
export const licenseSuspended = defineProblem({
  code: 'license_suspended',
  status: 403,
  title: 'The licence is suspended',
});
export const licenseRevoked = defineProblem({
  code: 'license_revoked',
  status: 403,
  title: 'The licence has been revoked',
});
export const licenseInstallationsExceeded = defineProblem({
  code: 'license_installations_exceeded',
  status: 403,
  title: 'The licence has no place for another installation',
});
export const licenseBoxesExceeded = defineProblem({
  code: 'license_boxes_exceeded',
  status: 403,
  title: 'The licence has no place for another box',
});
export const licenseTierUnchanged = defineProblem({
  code: 'license_tier_unchanged',
  status: 409,
  title: 'The licence has this tier already',
});
export const licenseNotActive = defineProblem({
  code: 'license_not_active',
  status: 409,
  title: 'Only an active licence can be replaced',
});
export const licenseReplaced = defineProblem({
  code: 'license_replaced',
  status: 409,
  title: 'The licence has been replaced already',
});
export const licenseNotTrial = defineProblem({
  code: 'license_not_trial',
  status: 409,
  title: 'The licence is not a trial',
});
/** For the vendor, who tries to change a revoked licence; holders of its key get `license_revoked`. */
export const revokedForGood = defineProblem({
  code: 'license_revoked_for_good',
  status: 409,
  title: 'A revoked licence cannot be changed',
});

/**
 * Licences that may not be used.
 */
import { licenseRevoked, licenseSuspended } from './problems.ts';
import type { License } from './schemas.ts';

/**
 * Rejects a suspended or revoked licence; an expired one passes.
 * @throws license_suspended or license_revoked (403)
 */
export function rejectWithdrawn({ status }: Pick<License, 'status'>): void {
  if (status === 'revoked') throw licenseRevoked('Use the key that replaces it, or contact the vendor.');
  if (status === 'suspended') throw licenseSuspended('Ask the vendor to reinstate it.');
}

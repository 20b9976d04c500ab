/**
 * What the holder of a licence key can read of the licence.
 */
import { object, routeFor, tooManyRequests } from '@carton/runtime/service';
import type { CommonServices } from '../services.ts';
import type { GuessLimiter } from './guesses.ts';
import type { LicenseLimits } from './limits.ts';
import { licenseKeyMalformed, licenseKeyUnknown } from './problems.ts';
import { License } from './schemas.ts';
import type { LicenseCallers } from './service.ts';

const route = routeFor<CommonServices & { guesses: GuessLimiter; limits: LicenseLimits }, LicenseCallers>();

const { customerId, tier, status, expiresAt, trial, channel, maxBoxes, maxInstallations, endsAt, last4 } =
  License.properties;

const readOwnLicense = route(
  {
    method: 'get',
    path: '/license',
    operationId: 'readOwnLicense',
    tag: 'Licences',
    summary: 'Read the licence of a key',
    description: 'Whatever its state. Reading it is no activation, and takes no place of an installation.',
    access: 'license',
    status: 200,
    response: object(
      { customerId, tier, status, expiresAt, trial, channel, maxBoxes, maxInstallations, endsAt, last4 },
      { $id: 'OwnLicense' },
    ),
    problems: [licenseKeyMalformed, licenseKeyUnknown, tooManyRequests],
  },
  ({ license }) => license,
);

export const ownLicenseRoutes = [readOwnLicense];

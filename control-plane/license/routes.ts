/**
 * Licences: how the vendor manages them, and their exchange for a token.
 */
import { pageQuery, routeFor, Type, tooManyRequests, withOptions } from '@carton/runtime/service';
import { noRelease } from '../releases/problems.ts';
import { CustomerId, Label, LicenseState, Tier } from '../schemas.ts';
import { type CommonCallers, changesFor } from '../services.ts';
import { installationRoutes } from './installation-routes.ts';
import { installerHeaders, readInstallerHeaders } from './installer-headers.ts';
import {
  licenseExpired,
  licenseInstallationsExceeded,
  licenseKeyMalformed,
  licenseKeyUnknown,
  licenseNotActive,
  licenseNotTrial,
  licenseReplaced,
  licenseRevoked,
  licenseSuspended,
  revokedForGood,
} from './problems.ts';
import { replaceLicense as replace } from './replacement.ts';
import {
  ActivateDto,
  ActivationResult,
  ChangeLicense,
  ConvertTrial,
  License,
  LicensePage,
  MintedLicense,
  MintLicenseDto,
  RenewLicenseDto,
  ReplaceLicense,
} from './schemas.ts';
import {
  type ActivationServices,
  activate,
  changeLicenseTerms,
  convertTrial as convert,
  mintLicense as mint,
  readLicense as read,
  renewLicense as renew,
  setLicenseState,
} from './service.ts';
import { listLicenses as list } from './store.ts';
import { tierRoutes } from './tier-routes.ts';
import { withdrawalRoutes } from './withdrawals.ts';

const route = routeFor<ActivationServices, CommonCallers>();
const change = changesFor();
const tag = 'Licences';
const access = 'admin';

const mintLicense = change(
  {
    method: 'post',
    path: '/license/keys',
    operationId: 'mintLicense',
    tag,
    summary: 'Mint a licence key',
    description: 'The response contains the key in plain text. It is shown only once: just its hash is stored.',
    access,
    body: MintLicenseDto,
    status: 201,
    response: MintedLicense,
    location: '/license/keys/{id}',
  },
  ({ db, body }) => mint(db, body),
);

const listLicenses = route(
  {
    method: 'get',
    path: '/license/keys',
    operationId: 'listLicenses',
    tag,
    summary: 'List licences, newest first',
    access,
    query: pageQuery({
      customerId: Type.Optional(CustomerId),
      tier: Type.Optional(Tier),
      status: Type.Optional(LicenseState),
      trial: Type.Optional(Type.Boolean()),
      label: Type.Optional(withOptions(Label, { description: 'Text that the label contains' })),
    }),
    status: 200,
    response: LicensePage,
  },
  ({ db, query }) => list(db, query),
);

const readLicense = route(
  {
    method: 'get',
    path: '/license/keys/:id',
    operationId: 'readLicense',
    tag,
    summary: 'Read a licence',
    access,
    status: 200,
    response: License,
  },
  ({ db, params }) => read(db, params.id),
);

const changeLicense = change(
  {
    method: 'patch',
    path: '/license/keys/:id',
    operationId: 'changeLicense',
    tag,
    summary: 'Change the label, notes, limits and channel of a licence',
    description: 'A limit below what is in use refuses new boxes and installations only.',
    access,
    body: ChangeLicense,
    status: 200,
    response: License,
  },
  ({ db, params, body }) => changeLicenseTerms(db, params.id, body),
);

const suspendLicense = change(
  {
    method: 'post',
    path: '/license/keys/:id/suspend',
    operationId: 'suspendLicense',
    tag,
    summary: 'Suspend a licence until it is reinstated',
    description: 'The registry refuses its activation tokens within a minute. Running boxes are not affected.',
    access,
    status: 200,
    response: License,
    problems: [revokedForGood],
  },
  ({ db, params }) => setLicenseState(db, params.id, 'suspend'),
);

const reinstateLicense = change(
  {
    method: 'post',
    path: '/license/keys/:id/reinstate',
    operationId: 'reinstateLicense',
    tag,
    summary: 'Reinstate a suspended licence',
    access,
    status: 200,
    response: License,
    problems: [revokedForGood],
  },
  ({ db, params }) => setLicenseState(db, params.id, 'reinstate'),
);

const revokeLicense = change(
  {
    method: 'post',
    path: '/license/keys/:id/revoke',
    operationId: 'revokeLicense',
    tag,
    summary: 'Revoke a licence permanently',
    description: 'The registry refuses its activation tokens within a minute. Running boxes are not affected.',
    access,
    status: 200,
    response: License,
  },
  ({ db, params }) => setLicenseState(db, params.id, 'revoke'),
);

const renewLicense = change(
  {
    method: 'post',
    path: '/license/keys/:id/renew',
    operationId: 'renewLicense',
    tag,
    summary: 'Change when a licence expires',
    access,
    body: RenewLicenseDto,
    status: 200,
    response: License,
    problems: [revokedForGood],
  },
  ({ db, params, body }) => renew(db, params.id, body.expiresAt),
);

const convertTrial = change(
  {
    method: 'post',
    path: '/license/keys/:id/convert',
    operationId: 'convertTrial',
    tag,
    summary: 'Make a trial a paid licence',
    description: 'The key stays the same. A trial that has expired is active again.',
    access,
    body: ConvertTrial,
    status: 200,
    response: License,
    problems: [licenseNotTrial, revokedForGood],
  },
  ({ db, params, body }) => convert(db, params.id, body.expiresAt),
);

const replaceLicense = change(
  {
    method: 'post',
    path: '/license/keys/:id/replace',
    operationId: 'replaceLicense',
    tag,
    summary: 'Replace a key by another one',
    description:
      'The response contains the new key, for the same customer, tier, expiry and limits; it is shown only once. The replaced licence is revoked at its `endsAt`, and its tokens are refused as those of any revoked licence. A repeated request mints no second key: it is 409 and names the replacement.',
    access,
    body: ReplaceLicense,
    status: 201,
    response: MintedLicense,
    location: '/license/keys/{id}',
    problems: [licenseReplaced, licenseNotActive, revokedForGood],
  },
  ({ db, params, body }) => replace(db, params.id, body.overlapHours),
);

const activateLicense = route(
  {
    method: 'post',
    path: '/license/activate',
    operationId: 'activateLicense',
    tag,
    summary: 'Exchange a licence key for a registry token and the list of entitled packages',
    description:
      'Activations without `Installation-Id` count as one installation together; invalid headers are ignored. A licence activates 120 times a minute at most.',
    access: 'public',
    requestHeaders: installerHeaders,
    body: ActivateDto,
    status: 200,
    response: ActivationResult,
    problems: [
      licenseKeyMalformed,
      licenseKeyUnknown,
      licenseExpired,
      licenseSuspended,
      licenseRevoked,
      licenseInstallationsExceeded,
      tooManyRequests,
      noRelease,
    ],
  },
  ({ body, ...services }) => activate(services, body.key, readInstallerHeaders(services.client.header)),
);

export const licenseRoutes = [
  mintLicense,
  listLicenses,
  readLicense,
  changeLicense,
  suspendLicense,
  reinstateLicense,
  revokeLicense,
  renewLicense,
  convertTrial,
  replaceLicense,
  activateLicense,
  ...tierRoutes,
  ...installationRoutes,
  ...withdrawalRoutes,
];

/**
 * Boxes and their domains: registered with a licence key, resolved by servers that render websites.
 */
import {
  type CheckUrl,
  hostingSecretHeader,
  invalidRequest,
  normalizeDomain,
  notFound,
  object,
  oneOf,
  routeFor,
  Type,
  tooManyRequests,
} from '@carton/runtime/service';
import type { GuessLimiter } from '../license/guesses.ts';
import type { LicenseLimits } from '../license/limits.ts';
import {
  licenseBoxesExceeded,
  licenseKeyMalformed,
  licenseKeyUnknown,
  licenseRevoked,
  licenseSuspended,
} from '../license/problems.ts';
import { identifyLicense, type LicenseCallers } from '../license/service.ts';
import { rejectWithdrawn } from '../license/withdrawn.ts';
import { BoxName } from '../schemas.ts';
import type { CommonServices } from '../services.ts';
import { deployBox as deploy } from './deploy.ts';
import { releaseDomain as release } from './domains/store.ts';
import { backendForbidden, domainTaken, hostingSecretRequired } from './problems.ts';
import type { DomainLog } from './proof/outcome.ts';
import { resolveHost as resolve } from './resolve.ts';
import { BoxStatus, DeployBoxDto, DeployBoxResult, HostResolution, VerifyDomains } from './schemas.ts';
import type { ServedDomains } from './served/domains.ts';
import { describeBox, verifyBox } from './status.ts';
import { type Box, findBox } from './store.ts';

interface BoxServices extends CommonServices {
  guesses: GuessLimiter;
  limits: LicenseLimits;
  checkBackend: CheckUrl;
  served: ServedDomains;
  log: DomainLog;
}

const route = routeFor<BoxServices, LicenseCallers>();
const tag = 'Boxes';
/** Expired licences are accepted: expiry stops activation, not the operation of boxes. */
const licenseProblems = [licenseKeyMalformed, licenseKeyUnknown, licenseSuspended, licenseRevoked, tooManyRequests];

const deployBox = route(
  {
    method: 'post',
    path: '/boxes/deploy',
    operationId: 'deployBox',
    tag,
    summary: 'Register a box and its domains',
    description:
      'The name identifies the box among those of the customer. Deploying it again replaces its URLs and its list of domains. A domain is served once it is proved; a claim that is not proved ends after a week, unless the box is deployed again.',
    access: 'public',
    body: DeployBoxDto,
    status: 200,
    response: DeployBoxResult,
    problems: [...licenseProblems, licenseBoxesExceeded, domainTaken],
  },
  async ({ body: { key, ...box }, ...services }) => {
    const license = await identifyLicense(services, key, { address: services.client.address, kind: 'write' });
    rejectWithdrawn(license);
    await deploy(services, license, box);
    await services.served.catchUp();
    return { registered: box.domains, nameservers: [...services.settings.nameservers] };
  },
);

const readDeployment = route(
  {
    method: 'get',
    path: '/boxes/deploy/status',
    operationId: 'readDeployment',
    tag,
    summary: 'Read a box and the states of its domains',
    description: 'With the record that proves each domain, and what the last check of it found.',
    access: 'license',
    query: object({ name: BoxName }),
    status: 200,
    response: BoxStatus,
    problems: [...licenseProblems, notFound],
  },
  async ({ query, license, ...services }) => {
    rejectWithdrawn(license);
    return describeBox(services, await requireBox(services, license.customerId, query.name));
  },
);

const verifyDomains = route(
  {
    method: 'post',
    path: '/boxes/domains/verify',
    operationId: 'verifyDomains',
    tag,
    summary: 'Check the domains of a box now',
    description:
      'Looks up the proofs of its domains in DNS, which otherwise happens by a schedule. Each at most ten times a minute: what was checked more often stays as it was found, and if that are all of them, the answer is 429.',
    access: 'license',
    body: VerifyDomains,
    status: 200,
    response: BoxStatus,
    problems: [...licenseProblems, notFound],
  },
  async ({ body, license, ...services }) => {
    rejectWithdrawn(license);
    const box = await requireBox(services, license.customerId, body.name);
    await verifyBox(services, box);
    await services.served.catchUp();
    return describeBox(services, box);
  },
);

/** @throws not_found (404) */
async function requireBox({ db }: BoxServices, customerId: string, name: string): Promise<Box> {
  const box = await findBox(db, customerId, name);
  if (!box) throw notFound(`You have no box named ${name}.`);
  return box;
}

const hostName = { minLength: 1, maxLength: 255, examples: ['shop.example.com'] };

const resolveHost = route(
  {
    method: 'get',
    path: '/boxes/resolve',
    operationId: 'resolveHost',
    tag,
    summary: 'Find the backend that serves a host',
    description: `An exact domain takes precedence over a wildcard. In \`*.<domain>\`, \`*\` matches exactly one label. Only proved domains are found; with \`pending=1\` and the hosting secret in ${hostingSecretHeader}, also pending ones.`,
    access: 'public',
    query: object({
      host: Type.Optional(Type.String({ ...hostName, description: 'Required, unless `domain` is sent' })),
      domain: Type.Optional(
        Type.String({
          ...hostName,
          description: 'The same as `host`, as certificate authorities in proxies such as Caddy ask',
        }),
      ),
      pending: Type.Optional(oneOf(['1'], { description: 'Also find pending domains' })),
    }),
    status: 200,
    response: HostResolution,
    cacheControl: 'public, max-age=60',
    isPrivate: ({ isPrivate }: { isPrivate: boolean }) => isPrivate,
    problems: [notFound, hostingSecretRequired, tooManyRequests, backendForbidden],
  },
  async ({ query, ...services }) => {
    const withPending = query.pending !== undefined;
    if (withPending && !services.client.isHosting()) {
      throw hostingSecretRequired(`Send the secret in ${hostingSecretHeader}.`);
    }
    const { host = query.domain, domain = host } = query;
    if (host === undefined) throw invalidRequest('query /host: is required');
    if (host !== domain) throw invalidRequest('query /domain: excludes host');
    return resolve(services, host, { withPending });
  },
);

const releaseDomain = route(
  {
    method: 'delete',
    path: '/boxes/domains/:domain',
    operationId: 'releaseDomain',
    tag,
    summary: 'Release a domain from its box',
    description:
      'For a domain that a customer should not have. Others can register it immediately, also one that rests after its release.',
    access: 'admin',
    outsideTransaction: true,
    status: 204,
  },
  async ({ db, served, params }) => {
    const domain = normalizeDomain(params.domain);
    if (domain === null || !(await release(db, domain))) throw notFound(`No box has the domain ${params.domain}.`);
    await served.catchUp();
  },
);

export const boxRoutes = [deployBox, readDeployment, verifyDomains, resolveHost, releaseDomain];

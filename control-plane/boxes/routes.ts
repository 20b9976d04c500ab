/**
 * Boxes and their domains: registered with a licence key, resolved by servers that render websites.
 */
import { notFound, object, routeFor, Type, tooManyRequests } from '@carton/runtime/service';
import type { GuessLimiter } from '../license/guesses.ts';
import { licenseKeyMalformed, licenseKeyUnknown, licenseRevoked, licenseSuspended } from '../license/problems.ts';
import { identifyLicense, type LicenseCallers, rejectWithdrawn } from '../license/service.ts';
import { BoxName } from '../schemas.ts';
import type { CommonServices } from '../services.ts';
import { checkDomains } from './nameservers.ts';
import { BoxStatus, DeployBoxDto, DeployBoxResult, HostResolution } from './schemas.ts';
import { deployBox as deploy, domainTaken, release, resolveHost as resolve } from './service.ts';
import { findBox } from './store.ts';

const route = routeFor<CommonServices & { guesses: GuessLimiter }, LicenseCallers>();
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
      'The name identifies the box among those of the customer. Deploying it again replaces its URLs and its list of domains. A domain belongs to one box.',
    access: 'public',
    body: DeployBoxDto,
    status: 200,
    response: DeployBoxResult,
    problems: [...licenseProblems, domainTaken],
  },
  async ({ body: { key, ...box }, db, settings, client, guesses }) => {
    const license = await identifyLicense({ db, guesses }, key, client.address);
    rejectWithdrawn(license);
    await deploy(db, license.customerId, box);
    return { registered: box.domains, nameservers: [...settings.nameservers] };
  },
);

const readDeployment = route(
  {
    method: 'get',
    path: '/boxes/deploy/status',
    operationId: 'readDeployment',
    tag,
    summary: 'Read a box and the delegation of its domains',
    description: 'Each request looks the domains up in DNS.',
    access: 'license',
    query: object({ name: BoxName }),
    status: 200,
    response: BoxStatus,
    problems: [...licenseProblems, notFound],
  },
  async ({ query, db, license, settings }) => {
    rejectWithdrawn(license);
    const found = await findBox(db, license.customerId, query.name);
    if (!found) throw notFound(`You have no box named ${query.name}.`);
    const { id: _, ...box } = found.box;
    const { nameservers, nameserverLookup } = settings;
    return { ...box, domains: await checkDomains(found.domains, nameservers, nameserverLookup) };
  },
);

const resolveHost = route(
  {
    method: 'get',
    path: '/boxes/resolve',
    operationId: 'resolveHost',
    tag,
    summary: 'Find the backend that serves a host',
    description: 'An exact domain takes precedence over a wildcard. In `*.<domain>`, `*` matches exactly one label.',
    access: 'public',
    query: object({ host: Type.String({ minLength: 1, maxLength: 255, examples: ['shop.example.com'] }) }),
    status: 200,
    response: HostResolution,
    cacheControl: 'public, max-age=60',
    problems: [notFound],
  },
  ({ query, db }) => resolve(db, query.host),
);

const releaseDomain = route(
  {
    method: 'delete',
    path: '/boxes/domains/:domain',
    operationId: 'releaseDomain',
    tag,
    summary: 'Release a domain from its box',
    description: 'For a domain that a customer registered without owning it. Its owner can then register it.',
    access: 'admin',
    status: 204,
  },
  ({ db, params }) => release(db, params.domain),
);

export const boxRoutes = [deployBox, readDeployment, resolveHost, releaseDomain];

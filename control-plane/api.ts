/**
 * The API of the control plane: its groups of routes, access kinds, and the services passed to handlers.
 */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type ApiDescription,
  type ApiGroup,
  accessKindsOf,
  type CheckUrl,
  hostingSecretHeader,
  type IdempotentRunner,
  openUrlChecks,
  tooManyRequests,
  vendor,
} from '@carton/runtime/service';
import type { Context } from 'koa';
import { accessKinds, type Caller, type CredentialScope, isSecret } from './access.ts';
import { journalled } from './administrators/journalled.ts';
import { declareRole } from './administrators/roles.ts';
import { administratorRoutes } from './administrators/routes.ts';
import { boxHostingRoutes } from './boxes/hosting-routes.ts';
import { type HostingSecrets, openHostingSecrets } from './boxes/hosting-secret.ts';
import type { DomainLog } from './boxes/proof/outcome.ts';
import { boxRoutes } from './boxes/routes.ts';
import type { ServedDomains } from './boxes/served/domains.ts';
import { customerRoutes } from './customers/routes.ts';
import type { Encryption } from './encryption.ts';
import { eventRoutes } from './events/routes.ts';
import { domainEvents, licenseEvents, releaseEvents, webhookEvents } from './events/types.ts';
import { createGuessLimiter, type GuessLimiter } from './license/guesses.ts';
import { createLicenseLimits, type LicenseLimits } from './license/limits.ts';
import { ownLicenseRoutes } from './license/own-routes.ts';
import { licenseRoutes } from './license/routes.ts';
import manifest from './package.json' with { type: 'json' };
import type { RefusedCredentials } from './refused-credentials.ts';
import { catalogueRoutes, releaseRoutes } from './releases/routes.ts';
import { openReleases, type Releases } from './releases/service.ts';
import type { CommonServices, ControlPlaneOptions, InTransaction } from './services.ts';
import type { SigningKeys } from './signing/keys.ts';
import { signingRoutes } from './signing/routes.ts';
import { telemetryRoutes } from './telemetry/routes.ts';
import { webhookRoutes } from './webhooks/routes.ts';

/** The services of all handlers. */
export interface ControlPlaneServices extends CommonServices {
  signing: SigningKeys;
  guesses: GuessLimiter;
  limits: LicenseLimits;
  releases: Releases;
  checkBackend: CheckUrl;
  checkWebhook: CheckUrl;
  webhookSecrets: Encryption;
  hostingSecrets: HostingSecrets;
  served: ServedDomains;
  log: DomainLog;
}

/** The owner of the migrations. There are no tenants here, so no table has a tenant. */
export const migrationOwner = {
  fullName: manifest.name,
  folder: dirname(fileURLToPath(import.meta.url)),
  boxTables: [
    'license_keys',
    'license_installations',
    'license_activations',
    'signing_keys',
    'download_reports',
    'download_rollups',
    'download_totals',
    'customer_erasures',
    'boxes',
    'box_domains',
    'dns_zones',
    'releases',
    'release_channels',
    'release_publications',
    'administrators',
    'administrator_secrets',
    'journal',
    'hash_keys',
    'events',
    'license_warnings',
    'webhooks',
    'webhook_deliveries',
    'webhook_attempts',
  ],
};

const groups: readonly ApiGroup<InTransaction<ControlPlaneServices>>[] = [
  {
    name: 'licences',
    description: 'Licence keys and their activation',
    routes: [...licenseRoutes, ...ownLicenseRoutes],
    events: licenseEvents,
  },
  { name: 'signing', description: 'The keys that verify activation tokens', routes: signingRoutes },
  { name: 'telemetry', description: 'Downloads that the registry allowed or denied', routes: telemetryRoutes },
  {
    name: 'customers',
    description: 'What customers run and were refused, and what is stored of them',
    routes: customerRoutes,
  },
  {
    name: 'boxes',
    description: 'Boxes and their domains',
    routes: [...boxRoutes, ...boxHostingRoutes],
    events: domainEvents,
  },
  {
    name: 'releases',
    description: 'Compatible versions of the packages, published on channels',
    routes: releaseRoutes,
    events: releaseEvents,
  },
  { name: 'catalogue', description: 'The products of each tier', routes: catalogueRoutes },
  {
    name: 'administrators',
    description: 'Administrators with roles, and the journal of what they changed',
    routes: administratorRoutes,
  },
  { name: 'event log', description: 'What happened to licences, domains and releases', routes: eventRoutes },
  {
    name: 'webhooks',
    description: 'Where events are sent, and what became of them',
    routes: webhookRoutes,
    events: webhookEvents,
  },
];

/** Describes the API to the engine. */
export function controlPlaneApi(
  options: ControlPlaneOptions,
  opened: Pick<
    ControlPlaneServices,
    'db' | 'signing' | 'served' | 'log' | 'checkWebhook' | 'webhookSecrets' | 'journalKeys'
  >,
  refused: RefusedCredentials,
): ApiDescription<CredentialScope, ControlPlaneServices, Caller> {
  const { db } = opened;
  const { adminSecret, registrySecret, publishSecret, metricsSecret, hostingSecret, trustProxy, strictResponses } =
    options;
  const hostingSecrets = openHostingSecrets(db, options.signingKeySecret);
  const { version } = manifest;
  const guesses = createGuessLimiter();
  const limits = createLicenseLimits();
  const releases = openReleases(db);
  const { allowHttpBackends: allowHttp, allowPrivateBackends: allowPrivate, ownHosts } = options;
  const checkBackend = openUrlChecks({ allowHttp, allowPrivate, ownHosts }, options.nameserverLookup);
  const scope = {
    db,
    guesses,
    limits,
    refused,
    adminSecret,
    registrySecret,
    publishSecret,
    hostingSecret,
    metricsSecret,
  };
  return {
    name: 'control plane',
    title: `${vendor.name.replace(/^./, (letter) => letter.toUpperCase())} Control Plane`,
    version,
    description: `Licences, activation, download reports and box domains of ${vendor.name}`,
    badges: [version],
    about: { version },
    metricsReaders: ['metrics', 'admin'],
    knex: db,
    migrated: [migrationOwner],
    groups: (own) =>
      [...groups, { name: 'service', description: 'The control plane itself', routes: own }].map(complete),
    ownScope: scope,
    scope: () => scope,
    accessKinds,
    trustProxy,
    strictResponses,
    runIdempotently,
    services: (ctx, _, caller) => ({
      ...caller,
      ...opened,
      settings: options,
      guesses,
      limits,
      releases,
      checkBackend,
      hostingSecrets,
      client: { address: ctx.ip, isHosting: () => isHosting(scope, ctx), header: (name) => ctx.get(name) },
      request: { id: ctx.state.requestId, method: ctx.method, path: ctx.path },
      idempotency: null,
    }),
  };
}

/** @throws too_many_requests (429) */
function isHosting(scope: CredentialScope, { headers, ip }: Context): boolean {
  const sent = headers[hostingSecretHeader.toLowerCase()];
  return typeof sent === 'string' && isSecret(scope, 'hostingSecret', { sent, address: ip });
}

/**
 * Wrong credentials are throttled on every route that accepts one; routes of administrators require a role, and what they
 * change is in the journal.
 */
function complete(group: ApiGroup<InTransaction<ControlPlaneServices>>): ApiGroup<ControlPlaneServices> {
  const routes = group.routes.map((route) => {
    if (accessKindsOf(route.declaration).length === 0) return journalled(route);
    const declaration = declareRole(route.declaration);
    const problems = [...(declaration.problems ?? []), tooManyRequests];
    return journalled({ ...route, declaration: { ...declaration, problems } });
  });
  return { ...group, routes };
}

/** Responses are not stored: the handler stores the key with its row, and reports a repeated request in `replayed`. */
const runIdempotently: IdempotentRunner<ControlPlaneServices> = async (services, { key }, run) => {
  const idempotency = { key, replayed: false };
  const reply = await run({ ...services, idempotency });
  return { reply, replayed: idempotency.replayed };
};

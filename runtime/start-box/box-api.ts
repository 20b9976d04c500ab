/**
 * The API of a box: the routes of its packages, authentication, and the services for handlers.
 */
import type { Logger } from 'pino';
import { accessKindsIn, routesOf } from '../box/access.ts';
import type { BoxCaller } from '../box/callers.ts';
import { runConsistently } from '../box/consistency.ts';
import { runIdempotently } from '../box/idempotency.ts';
import { boxRateLimits } from '../box/rate-limits.ts';
import { createTenantScopes, defaultRequestDeadline } from '../box/scope.ts';
import { type Box, type RequestServices, requestServices } from '../box/services.ts';
import { sessionKeysOf } from '../box/session-keys.ts';
import { storefrontHeaders, storefrontKeys, storefrontPermission } from '../box/shopper-address.ts';
import { TenantResolver, type TenantScope, tenantProblems } from '../box/tenancy.ts';
import type { Database } from '../db/database.ts';
import { migrationOwners } from '../engine/migrations.ts';
import { noRateLimits } from '../http/rate-limit.ts';
import { UploadSpace } from '../http/upload-space.ts';
import type { LoadedPackage } from '../package/load.ts';
import type { ApiDescription } from '../start-service/service-api.ts';
import { vendor } from '../vendor.ts';
import { shareInvalidation } from '../workers/workers.ts';
import type { StartBoxOptions } from './options.ts';

/** The identifiers in the document (contract, "OpenAPI document identifiers"). */
const contract = {
  title: 'Box Backend',
  version: '0.1.0',
  description: `Partner-deployed ${vendor.name} runtime: engine-mounted routes`,
};

type BoxApi = ApiDescription<TenantScope, RequestServices, BoxCaller>;

/** Describes the API of a box. Its packages' contributions must be in `database.extensions`. */
export function boxApi(
  options: StartBoxOptions,
  { packages, database, log }: { packages: readonly LoadedPackage[]; database: Database; log: Logger },
): { box: Box; api: BoxApi } {
  const {
    tier,
    secureCookies = true,
    requestDeadline = defaultRequestDeadline,
    rateLimits = noRateLimits,
    workers,
  } = options;
  const { operatorSecret: operator, hostingSecret: hosting, metricsSecret: metrics } = options;
  const secrets = { operator, hosting, metrics };
  const accessKinds = accessKindsIn(database, { keys: sessionKeysOf(database), secureCookies });
  const tenants = new TenantResolver(database, secrets);
  const { scope, boxScope } = createTenantScopes(database, tenants, secrets, requestDeadline);
  const mounted = packages.map((loaded) => ({ ...loaded, routes: routesOf(loaded, database, accessKinds) }));
  const rights = mounted.flatMap(({ routes }) => routes.flatMap(({ declaration }) => declaration.permission || []));
  const ofKeys = storefrontKeys.of(database).length > 0 ? [storefrontPermission] : [];
  const permissions = [...new Set([...rights, ...ofKeys])].sort();
  const invalidateTenants = shareInvalidation(workers, () => tenants.invalidate());
  const box: Box = { tier, packages, database, permissions, invalidateTenants };
  const { trustProxy, bodyDeadline, readDeadline, uploadFolder, uploadSpace, strictResponses } = options;
  const api: BoxApi = {
    ...contract,
    name: 'box',
    badges: [tier, vendor.version],
    about: { version: vendor.version, tier },
    metricsReaders: ['metrics', 'operator'],
    knex: database.knex,
    migrated: migrationOwners(packages),
    groups: (own) => [{ name: 'box', description: 'The box itself', routes: own }, ...mounted],
    ownScope: boxScope,
    scope,
    accessKinds,
    commonProblems: tenantProblems,
    requestHeaders: storefrontHeaders,
    trustProxy,
    secureCookies,
    strictResponses,
    bodyDeadline,
    emptyTextsAreNull: true,
    readDeadline,
    uploadFolder,
    uploadSpace: uploadSpace === undefined ? undefined : new UploadSpace(uploadSpace),
    owner: ({ tenant }) => tenant?.id ?? null,
    runIdempotently,
    runConsistently,
    rateLimits: boxRateLimits(rateLimits, workers),
    origins: (ctx) => tenants.originsFor(ctx),
    services: (ctx, reached, caller) => requestServices(ctx, reached, caller, { box, log }),
  };
  return { box, api };
}

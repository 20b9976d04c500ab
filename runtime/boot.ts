/**
 * The whole start of a box as one readable list: database, packages, migrations, routes, document, listen.
 */
import { type Logger, pino } from 'pino';
import { problemOfDatabaseError } from './answers/database-problems.ts';
import { prepareBackground } from './background/background.ts';
import { accessKindsIn, isBoxRoute, routesOf } from './box/access.ts';
import type { BoxAccessKind, BoxCaller } from './box/callers.ts';
import { keepConsistent } from './box/consistency.ts';
import { engineRoutes } from './box/engine-routes.ts';
import { keepIdempotent } from './box/idempotency.ts';
import { boxRateLimits } from './box/rate-limits.ts';
import { type Box, type BoxServices, type RequestServices, requestServices } from './box/services.ts';
import { SessionKeys } from './box/session-keys.ts';
import { noTenantId, TenantResolver, type TenantScope, tenantProblems } from './box/tenancy.ts';
import type { Tier } from './box/tier.ts';
import { settings as boxSettings } from './config.ts';
import { isCitus } from './db/citus/find.ts';
import { type Database, openDatabase } from './db/database.ts';
import { collectMigrations, migrate, withMigrationLock } from './db/migrations.ts';
import { prepareRuntimeRole } from './db/row-security.ts';
import { outboxListeners } from './events/outbox.ts';
import { gatherExtensions } from './extension/extension.ts';
import { createApp } from './http/app.ts';
import { completeRoutes } from './http/complete.ts';
import type { RateLimits } from './http/rate-limit.ts';
import type { Route } from './http/route.ts';
import { listen, type RunningServer } from './http/server.ts';
import { sweepUploads } from './http/upload-folder.ts';
import { explorer } from './openapi/explorer.ts';
import { serveDocument } from './openapi/served.ts';
import { type Operations, startOperations } from './operations/operations.ts';
import type { TracingSettings } from './operations/tracing/settings.ts';
import { type LoadedPackage, loadPackages } from './package/load.ts';
import { readPackageSettings } from './package/settings.ts';
import { vendor } from './vendor.ts';

export interface BootOptions {
  databaseUrl: string;
  poolSize?: number;
  tier: Tier;
  /** Full npm names of the entitled packages. */
  packages: readonly string[];
  /** A file beside whose node_modules the packages stand. */
  packagesFrom: string;
  operatorSecret?: string;
  hostingSecret?: string;
  metricsSecret?: string;
  /** Milliseconds from which on a statement is logged as slow; 0, unless given, for never. */
  slowQueries?: number;
  /** Where given, traces are made and sent. */
  tracing?: TracingSettings | null;
  /** Which proxies are believed: see `trustedProxy`. */
  trustProxy?: boolean | string;
  /** Whether browsers send cookies over TLS only; true unless told. */
  secureCookies?: boolean;
  /** Requests a minute; none are counted unless given. */
  rateLimits?: RateLimits;
  /** Milliseconds in which a request's work in the database has to be done; 30,000 unless given. */
  requestDeadline?: number;
  /** Milliseconds in which a body has to arrive; in which each piece of an upload has to. */
  bodyDeadline?: number;
  /** Where files of uploads stand while their requests are served. */
  uploadFolder?: string;
  /** Milliseconds in which the reader of a streamed answer has to take what it was sent. */
  readDeadline?: number;
  strictAnswers?: boolean;
  /** Where packages find their settings; nothing is set unless given. */
  environment?: NodeJS.ProcessEnv;
  host: string;
  port: number;
  log?: Logger;
}

export interface RunningBox extends Box {
  url: string;
  /** Makes its OpenAPI document. */
  document(): Promise<Record<string, unknown>>;
  /** Everything it serves, as it was given to the application. */
  routes: readonly Route<BoxServices>[];
  /** Every way to be let in. */
  accessKinds: readonly BoxAccessKind[];
  /** Says by `/health` that it will stop, and goes on serving. */
  drain(): void;
  /** Ends what is under way, requests first, then closes the connections to the database. */
  stop(): Promise<void>;
}

/** The contract, as its document carries it (contract, "OpenAPI document identifiers"). */
const contractVersion = '0.1.0';
const title = 'Box Backend';
const description = `Partner-deployed ${vendor.name} runtime: engine-mounted routes`;

/** Milliseconds that a request's work in the database may take, unless told. */
const longestRequest = 30_000;

/** Starts a box. @throws Error with one clear line about what stops it */
export async function boot(options: BootOptions): Promise<RunningBox> {
  const log = options.log ?? pino({ level: 'silent' });
  const packages = await loadPackages(options.packages, options.packagesFrom);
  const settings = readPackageSettings(packages, options.environment ?? {}, Object.keys(boxSettings));
  const prepared = await prepareDatabase(options.databaseUrl, packages, log);
  const { databaseUrl: url, poolSize, requestDeadline = longestRequest, tier, slowQueries, tracing } = options;
  const about = { version: vendor.version, tier };
  const operations = await startOperations({ log, about, slowQueries, tracing });
  const { observeDatabase: observer, observeBackground: observe } = operations;
  const database = openDatabase({ url, poolSize, statementTimeout: requestDeadline, observer, ...prepared });
  const background = prepareBackground({ databaseUrl: url, ...prepared, packages, log, observe, observer });
  try {
    const extensions = packages.flatMap((loaded) => loaded.extends ?? []);
    database.extensions = gatherExtensions([...extensions, ...settings, outboxListeners.with(background.wake)]);
    operations.watchPool('requests', database.knex);
    operations.watchPool('background', background.database.knex);
    const box = await serve(options, database, packages, operations, log);
    background.start(database.extensions);
    const stop = async () => {
      await box.stop();
      await background.stop();
      await database.close();
      await operations.stop();
    };
    return { ...box, stop };
  } catch (error) {
    await background.stop();
    await database.close();
    await operations.stop();
    throw error;
  }
}

/** Applies the migrations as the owner of the tables; answers how the box connects: its role, and whether to Citus. */
async function prepareDatabase(url: string, packages: readonly LoadedPackage[], log: Logger) {
  const { knex, close } = openDatabase({ url, applicationName: 'box start' });
  try {
    const { applied, orphaned } = await migrate(knex, packages, (migration, position, count) =>
      log.info({ migration: migration.file, package: migration.package, position, count }, 'migrating'),
    );
    log.info({ applied: applied.length, orphaned: orphaned.length }, 'migrations are applied');
    const boxTables = packages.flatMap((loaded) => loaded.boxTables ?? []);
    const { role, enforced, summary } = await withMigrationLock(knex, () => prepareRuntimeRole(knex, boxTables));
    log[enforced ? 'info' : 'warn'](summary);
    const distributed = await isCitus(knex);
    if (distributed) log.info('the tables are distributed by Citus');
    return { role, distributed };
  } finally {
    await close();
  }
}

async function serve(
  options: BootOptions,
  database: Database,
  packages: readonly LoadedPackage[],
  operations: Operations,
  log: Logger,
): Promise<RunningBox> {
  const { tier, trustProxy, rateLimits, bodyDeadline, readDeadline, uploadFolder, strictAnswers } = options;
  const { requestDeadline = longestRequest, secureCookies = true } = options;
  const { operatorSecret: operator, hostingSecret: hosting, metricsSecret: metrics } = options;
  const secrets = { operator, hosting, metrics };
  const accessKinds = accessKindsIn(database, { keys: new SessionKeys(database), secureCookies });
  const tenants = new TenantResolver(database, secrets);
  const migrations = await collectMigrations(packages);
  operations.watchMigrations(database.knex, migrations);
  const docs = explorer({ title, description, badges: [tier, contractVersion] });
  const complete = (routes: readonly Route<BoxServices>[]) =>
    completeRoutes(routes, { accessKinds, conditional: true, rateLimited: true });
  const engine = complete(
    engineRoutes({
      database,
      tier,
      migrations,
      isDraining: () => operations.draining,
      metrics: operations.metrics,
      document: () => document.prepared(),
      page: docs.page,
    }),
  );
  const engineOperations = new Set(engine.map(({ declaration }) => declaration.operationId));
  const mounted = packages.map((loaded) => ({ ...loaded, routes: complete(routesOf(loaded, database, accessKinds)) }));
  const packageRoutes = mounted.flatMap((loaded) => loaded.routes);
  const routes = [...engine, ...packageRoutes];
  const permissions = [...new Set(packageRoutes.flatMap(({ declaration }) => declaration.permission || []))].sort();
  const box: Box = { tier, packages, database, permissions, forgetTenants: () => tenants.forget() };
  const commonProblems = tenantProblems;
  const declarationsOf = (given: typeof routes) => given.map(({ declaration }) => declaration);
  const document = serveDocument(() => ({
    title,
    version: contractVersion,
    description,
    groups: [
      { name: 'box', description: 'The box itself', declarations: declarationsOf(engine) },
      ...mounted.map((loaded) => ({ ...loaded, declarations: declarationsOf(loaded.routes) })),
    ],
    accessKinds,
    commonProblems,
  }));
  const nobody = database.forTenant(noTenantId);
  if (uploadFolder) await sweepUploads(uploadFolder);

  const app = createApp<TenantScope, RequestServices, BoxCaller>({
    routes,
    accessKinds,
    commonProblems,
    log,
    trustProxy,
    secureCookies,
    strictAnswers,
    bodyDeadline,
    readDeadline,
    uploadFolder,
    observeRequest: operations.observeRequest,
    keepIdempotent,
    keepConsistent,
    rateLimits: rateLimits && boxRateLimits(rateLimits),
    origins: (ctx) => tenants.originsFor(ctx),
    translateError: problemOfDatabaseError,
    before: [docs.middleware],
    async scope(ctx, route) {
      if (engineOperations.has(route.declaration.operationId)) return { tenant: null, db: nobody, secrets };
      try {
        const tenant = await tenants.resolve(ctx);
        ctx.state.tenant = tenant.slug;
        // A streamed answer takes as long as its reader does; each of its statements still has its own time.
        const deadline = route.declaration.streamed ? undefined : performance.now() + requestDeadline;
        const db = database.forTenant(tenant.id, null, deadline);
        return { tenant, db, secrets };
      } catch (error) {
        if (isBoxRoute(route) && isTenantProblem(error)) return { tenant: null, db: nobody, secrets };
        throw error;
      }
    },
    services: (ctx, scope, caller) => requestServices(ctx, scope, caller, { box, log }),
  });
  const server: RunningServer = await listen(app, options.host, options.port);
  log.info({ url: server.url, tier, packages: packages.length, routes: routes.length }, 'listening');
  const drain = () => {
    operations.draining = true;
    server.drain();
  };
  return {
    ...box,
    url: server.url,
    document: document.make,
    routes,
    accessKinds,
    drain,
    async stop() {
      drain();
      await server.stop();
    },
  };
}

function isTenantProblem(error: unknown): boolean {
  const code = (error as { type?: { code?: string } }).type?.code;
  return tenantProblems.some((problem) => problem.code === code);
}

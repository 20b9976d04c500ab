/**
 * The whole start of a box as one readable list: database, packages, migrations, routes, document, listen.
 */
import type { Middleware } from 'koa';
import { type Logger, pino } from 'pino';
import { accessKindsIn, isBoxRoute, routesOf } from './box/access.ts';
import { engineRoutes } from './box/engine-routes.ts';
import { keepIdempotent } from './box/idempotency.ts';
import type { Box, BoxServices } from './box/services.ts';
import { noTenantId, TenantResolver, type TenantScope, tenantProblems } from './box/tenancy.ts';
import type { Actor } from './db/changes.ts';
import { problemOfDatabaseError } from './db/connection.ts';
import { type Database, openDatabase } from './db/database.ts';
import { collectMigrations, migrate, withMigrationLock } from './db/migrations.ts';
import { prepareRuntimeRole } from './db/row-security.ts';
import { createApp } from './http/app.ts';
import { listen, type RunningServer } from './http/server.ts';
import { createDocument } from './openapi/document.ts';
import { explorer } from './openapi/explorer.ts';
import { gatherExtensions } from './package/extension.ts';
import { type LoadedPackage, loadPackages, type Tier } from './package/load.ts';
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
  trustProxy?: boolean;
  strictAnswers?: boolean;
  host: string;
  port: number;
  log?: Logger;
}

export interface RunningBox extends Box {
  url: string;
  document: Record<string, unknown>;
  /** Ends what is under way, then closes the database's pool. */
  stop(): Promise<void>;
}

/** Version of the contract, as its document carries it (contract, "OpenAPI document identifiers"). */
const contractVersion = '0.1.0';

/** Starts a box. @throws Error with one clear line about what stops it */
export async function boot(options: BootOptions): Promise<RunningBox> {
  const log = options.log ?? pino({ level: 'silent' });
  const packages = await loadPackages(options.packages, options.packagesFrom);
  const role = await prepareDatabase(options.databaseUrl, packages, log);
  const database = openDatabase({ url: options.databaseUrl, poolSize: options.poolSize, role });
  try {
    database.extensions = gatherExtensions(packages.flatMap((loaded) => loaded.extends ?? []));
    return await serve(options, database, packages, log);
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Applies the migrations as the owner of the tables; answers the role in which the box works. */
async function prepareDatabase(url: string, packages: readonly LoadedPackage[], log: Logger): Promise<string | null> {
  const { knex, close } = openDatabase({ url, applicationName: 'box start' });
  try {
    const { applied, orphaned } = await migrate(knex, packages, (migration, position, count) =>
      log.info({ migration: migration.file, package: migration.package, position, count }, 'migrating'),
    );
    log.info({ applied: applied.length, orphaned: orphaned.length }, 'migrations are applied');
    const boxTables = packages.flatMap((loaded) => loaded.boxTables ?? []);
    const { role, enforced, summary } = await withMigrationLock(knex, () => prepareRuntimeRole(knex, boxTables));
    log[enforced ? 'info' : 'warn'](summary);
    return role;
  } finally {
    await close();
  }
}

async function serve(
  options: BootOptions,
  database: Database,
  packages: readonly LoadedPackage[],
  log: Logger,
): Promise<RunningBox> {
  const { tier, operatorSecret, hostingSecret, trustProxy, strictAnswers } = options;
  const secrets = { operator: operatorSecret, hosting: hostingSecret };
  const accessKinds = accessKindsIn(database);
  const tenants = new TenantResolver(database, secrets);
  let draining = false;
  let documentText = '';
  const engine = engineRoutes({
    database,
    tier,
    migrations: await collectMigrations(packages),
    isDraining: () => draining,
    document: () => documentText,
  });
  const packageRoutes = packages.flatMap(routesOf);
  const routes = [...engine, ...packageRoutes];
  const permissions = [...new Set(packageRoutes.flatMap(({ declaration }) => declaration.permission || []))].sort();
  const box: Box = { tier, packages, database, permissions, forgetTenants: () => tenants.forget() };
  const commonProblems = tenantProblems;
  const document = createDocument({
    title: 'Box Backend',
    version: contractVersion,
    description: `Partner-deployed ${vendor.name} runtime: engine-mounted routes`,
    declarations: routes.map((mounted) => mounted.declaration),
    accessKinds,
    commonProblems,
  });
  documentText = JSON.stringify(document);
  const nobody = database.forTenant(noTenantId);

  const app = createApp<TenantScope, BoxServices>({
    routes,
    accessKinds,
    commonProblems,
    log,
    trustProxy,
    strictAnswers,
    keepIdempotent,
    translateError: problemOfDatabaseError,
    before: [explorer({ title: `Box Backend (${tier})` }) as Middleware],
    async scope(ctx, mounted) {
      if (engine.includes(mounted as never)) return { tenant: null, db: nobody, secrets };
      try {
        const tenant = await tenants.resolve(ctx);
        ctx.state.tenant = tenant.slug;
        return { tenant, db: database.forTenant(tenant.id), secrets };
      } catch (error) {
        if (isBoxRoute(mounted) && isTenantProblem(error)) return { tenant: null, db: nobody, secrets };
        throw error;
      }
    },
    services(ctx, { tenant, db }, caller) {
      const actor = isActor(caller) ? caller : null;
      return {
        tenant,
        db: actor ? db.as(actor) : db,
        box,
        // One caller, of one kind: what is staff has no shopper's session, and the other way round.
        staff: actor ?? undefined,
        session: actor ? undefined : caller,
        log,
        client: { address: ctx.ip, userAgent: ctx.get('user-agent').slice(0, 255) },
      } as unknown as BoxServices;
    },
  });
  const server: RunningServer = await listen(app, options.host, options.port);
  log.info({ url: server.url, tier, packages: packages.length, routes: routes.length }, 'listening');
  return {
    ...box,
    url: server.url,
    document,
    async stop() {
      draining = true;
      await server.stop();
      await database.close();
    },
  };
}

function isTenantProblem(error: unknown): boolean {
  const code = (error as { type?: { code?: string } }).type?.code;
  return tenantProblems.some((problem) => problem.code === code);
}

function isActor(caller: unknown): caller is Actor {
  const type = (caller as Actor | null)?.type;
  return type === 'staff' || type === 'operator';
}

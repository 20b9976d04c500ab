/**
 * The whole start of the control plane as one readable list: database, migrations, signing key, routes, document,
 * listen.
 */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  collectMigrations,
  connect,
  createApp,
  explorer,
  type IdempotencyKeeper,
  listen,
  migrate,
  type Operations,
  pendingMigrations,
  problemOfDatabaseError,
  type Route,
  serveDocument,
  serviceRoutes,
  startOperations,
  type TracingSettings,
  vendor,
} from '@carton/runtime/service';
import { type Logger, pino } from 'pino';
import { accessKinds, type Caller, type CredentialScope } from './access.ts';
import { boxRoutes } from './boxes/routes.ts';
import { catalogueRoutes } from './catalogue/routes.ts';
import { createGuessLimiter, type GuessLimiter } from './license/guesses.ts';
import { licenseRoutes } from './license/routes.ts';
import manifest from './package.json' with { type: 'json' };
import type { CommonServices, ControlPlaneSettings } from './services.ts';
import { openSigningKeys, type SigningKeys } from './signing/keys.ts';
import { signingRoutes } from './signing/routes.ts';
import { telemetryRoutes } from './telemetry/routes.ts';

export interface ControlPlaneOptions extends ControlPlaneSettings {
  databaseUrl: string;
  poolSize?: number;
  adminSecret: string;
  registrySecret: string;
  /** Encrypts the private signing key in the database. */
  signingKeySecret?: string;
  metricsSecret?: string;
  /** Milliseconds from which on a statement is logged as slow; 0, unless given, for never. */
  slowQueries?: number;
  /** Where given, traces are made and sent. */
  tracing?: TracingSettings | null;
  /** Which proxies are believed: see `trustedProxy`. */
  trustProxy?: boolean | string;
  /** Refuse an answer that breaks its own schema: for tests. */
  strictAnswers?: boolean;
  host: string;
  /** 0 takes a free one. */
  port: number;
  log?: Logger;
}

/** What all rooms' handlers together are given. */
export interface ControlPlaneServices extends CommonServices {
  signing: SigningKeys;
  guesses: GuessLimiter;
}

export interface RunningControlPlane {
  url: string;
  /** Makes its OpenAPI document. */
  document(): Promise<Record<string, unknown>>;
  /** Everything it serves, as it was given to the application. */
  routes: readonly Route<ControlPlaneServices>[];
  /** Says by `/health` that it will stop, and goes on serving. */
  drain(): void;
  /** Ends what is under way, then closes the database's pool. */
  stop(): Promise<void>;
}

/** As the engine's migrator knows it. There are no merchants here, so no table carries a tenant. */
const migrationOwner = {
  fullName: manifest.name,
  folder: dirname(fileURLToPath(import.meta.url)),
  boxTables: ['license_keys', 'signing_keys', 'download_reports', 'boxes', 'box_domains'],
};

/** Starts the control plane. @throws Error with one clear line about what stops it */
export async function startControlPlane(options: ControlPlaneOptions): Promise<RunningControlPlane> {
  const { databaseUrl, poolSize, slowQueries, tracing, log = pino({ level: 'silent' }) } = options;
  const about = { name: `${vendor.name}-control-plane`, version: manifest.version };
  const operations = await startOperations({ log, about, slowQueries, tracing });
  const observer = operations.observeDatabase;
  const db = connect({ url: databaseUrl, poolSize, applicationName: 'control-plane', observer });
  try {
    const { applied } = await migrate(db, [migrationOwner]);
    log.info({ applied: applied.map(({ file }) => file) }, 'migrations are applied');
    const signing = await openSigningKeys(db, {
      tokenLifetime: options.tokenLifetimeSeconds,
      secret: options.signingKeySecret,
    });
    return await serve(options, { db, signing, log, operations });
  } catch (error) {
    await db.destroy();
    await operations.stop();
    throw error;
  }
}

async function serve(
  options: ControlPlaneOptions,
  {
    db,
    signing,
    log,
    operations,
  }: Pick<ControlPlaneServices, 'db' | 'signing'> & { log: Logger; operations: Operations },
): Promise<RunningControlPlane> {
  const { adminSecret, registrySecret, metricsSecret, trustProxy, strictAnswers } = options;
  const guesses = createGuessLimiter();
  const migrations = await collectMigrations([migrationOwner]);
  operations.watchPool('requests', db);
  operations.watchMigrations(db, migrations);
  const areas: { name: string; description: string; routes: readonly Route<ControlPlaneServices>[] }[] = [
    { name: 'licences', description: 'Licence keys and their activation', routes: licenseRoutes },
    { name: 'signing', description: 'The keys that verify activation tokens', routes: signingRoutes },
    { name: 'telemetry', description: 'Reports of what the registry served and refused', routes: telemetryRoutes },
    { name: 'boxes', description: 'Boxes and the domains they are reached at', routes: boxRoutes },
    { name: 'catalogue', description: 'What each tier holds', routes: catalogueRoutes },
  ];
  const title = `${vendor.name.replace(/^./, (letter) => letter.toUpperCase())} Control Plane`;
  const description = `Licences, activation, download reports and box domains of ${vendor.name}`;
  const docs = explorer({ title, description, badges: [manifest.version] });
  const own = serviceRoutes<ControlPlaneServices>({
    name: 'control plane',
    about: { version: manifest.version },
    pendingMigrations: () => pendingMigrations(db, migrations),
    isDraining: () => operations.draining,
    metrics: operations.metrics,
    metricsReaders: ['metrics', 'admin'],
    document: () => document.prepared(),
    page: docs.page,
  });
  areas.push({ name: 'service', description: 'The control plane itself', routes: own });
  const routes: Route<ControlPlaneServices>[] = areas.flatMap((area) => area.routes);
  const document = serveDocument(() => ({
    title,
    version: manifest.version,
    description,
    groups: areas.map((area) => ({ ...area, declarations: area.routes.map(({ declaration }) => declaration) })),
    accessKinds,
  }));

  const scope: CredentialScope = { db, guesses, adminSecret, registrySecret, metricsSecret };
  const app = createApp<CredentialScope, ControlPlaneServices, Caller>({
    routes,
    accessKinds,
    log,
    trustProxy,
    strictAnswers,
    observeRequest: operations.observeRequest,
    keepIdempotent,
    translateError: problemOfDatabaseError,
    before: [docs.middleware],
    scope: () => scope,
    services: (ctx, _, caller) => ({
      ...caller,
      db,
      settings: options,
      signing,
      guesses,
      client: { address: ctx.ip },
      once: null,
    }),
  });
  const server = await listen(app, options.host, options.port);
  log.info({ url: server.url, routes: routes.length }, 'listening');
  const drain = () => {
    operations.draining = true;
    server.drain();
  };
  return {
    url: server.url,
    document: document.make,
    routes,
    drain,
    async stop() {
      drain();
      await server.stop();
      await db.destroy();
      await operations.stop();
    },
  };
}

/** What is kept of a request with an Idempotency-Key is its work itself, so its work says whether it was done before. */
const keepIdempotent: IdempotencyKeeper<ControlPlaneServices> = async (services, { key }, run) => {
  const once = { key, replayed: false };
  const reply = await run({ ...services, once });
  return { reply, replayed: once.replayed };
};

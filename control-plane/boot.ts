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
  createDocument,
  explorer,
  type IdempotencyKeeper,
  listen,
  migrate,
  pendingMigrations,
  problemOfDatabaseError,
  type Route,
  serviceRoutes,
  vendor,
} from '@carton/runtime/service';
import { type Logger, pino } from 'pino';
import { accessKinds, type CredentialScope } from './access.ts';
import { boxRoutes } from './boxes/routes.ts';
import { catalogueRoutes } from './catalogue/routes.ts';
import { createGuessLimiter } from './license/guesses.ts';
import { licenseRoutes } from './license/routes.ts';
import manifest from './package.json' with { type: 'json' };
import type { ControlPlaneServices, ControlPlaneSettings } from './services.ts';
import { openSigningKeys } from './signing/keys.ts';
import { signingRoutes } from './signing/routes.ts';
import { telemetryRoutes } from './telemetry/routes.ts';

export interface ControlPlaneOptions extends ControlPlaneSettings {
  databaseUrl: string;
  poolSize?: number;
  adminSecret: string;
  registrySecret: string;
  /** Encrypts the private signing key in the database. */
  signingKeySecret?: string;
  trustProxy?: boolean;
  /** Refuse an answer that breaks its own schema: for tests. */
  strictAnswers?: boolean;
  host: string;
  /** 0 takes a free one. */
  port: number;
  log?: Logger;
}

export interface RunningControlPlane {
  url: string;
  document: Record<string, unknown>;
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
  const { databaseUrl, poolSize, log = pino({ level: 'silent' }) } = options;
  const db = connect({ url: databaseUrl, poolSize, applicationName: 'control-plane' });
  try {
    const { applied } = await migrate(db, [migrationOwner]);
    log.info({ applied: applied.map(({ file }) => file) }, 'migrations are applied');
    const signing = await openSigningKeys(db, {
      tokenLifetime: options.tokenLifetimeSeconds,
      secret: options.signingKeySecret,
    });
    return await serve(options, { db, signing, log });
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

async function serve(
  options: ControlPlaneOptions,
  { db, signing, log }: Pick<ControlPlaneServices, 'db' | 'signing'> & { log: Logger },
): Promise<RunningControlPlane> {
  const { adminSecret, registrySecret, trustProxy, strictAnswers } = options;
  const guesses = createGuessLimiter();
  const migrations = await collectMigrations([migrationOwner]);
  let draining = false;
  let documentText = '';
  const routes: Route<ControlPlaneServices>[] = [
    ...licenseRoutes,
    ...signingRoutes,
    ...telemetryRoutes,
    ...boxRoutes,
    ...catalogueRoutes,
    ...serviceRoutes<ControlPlaneServices>({
      name: 'control plane',
      about: { version: manifest.version },
      pendingMigrations: () => pendingMigrations(db, migrations),
      isDraining: () => draining,
      document: () => documentText,
    }),
  ];
  const title = `${vendor.name.replace(/^./, (letter) => letter.toUpperCase())} Control Plane`;
  const document = createDocument({
    title,
    version: manifest.version,
    description: `Licences, activation, download reports and box domains of ${vendor.name}`,
    declarations: routes.map(({ declaration }) => declaration),
    accessKinds,
  });
  documentText = JSON.stringify(document);

  const scope: CredentialScope = { db, guesses, adminSecret, registrySecret };
  const app = createApp<CredentialScope, ControlPlaneServices>({
    routes,
    accessKinds,
    log,
    trustProxy,
    strictAnswers,
    keepIdempotent,
    translateError: problemOfDatabaseError,
    before: [explorer({ title })],
    scope: () => scope,
    services: (ctx, _, caller) => ({
      db,
      settings: options,
      signing,
      guesses,
      license: caller as ControlPlaneServices['license'],
      client: { address: ctx.ip },
      once: null,
    }),
  });
  const server = await listen(app, options.host, options.port);
  log.info({ url: server.url, routes: routes.length }, 'listening');
  return {
    url: server.url,
    document,
    async stop() {
      draining = true;
      await server.stop();
      await db.destroy();
    },
  };
}

/** What is kept of a request with an Idempotency-Key is its work itself, so its work says whether it was done before. */
const keepIdempotent: IdempotencyKeeper<ControlPlaneServices> = async (services, { key }, run) => {
  const once = { key, replayed: false };
  const reply = await run({ ...services, once });
  return { reply, replayed: once.replayed };
};

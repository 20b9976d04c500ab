/**
 * The API of the control plane: its rooms, who is let in, and what a handler is given.
 */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ApiDescription, type ApiGroup, type IdempotentRunner, vendor } from '@carton/runtime/service';
import { accessKinds, type Caller, type CredentialScope } from './access.ts';
import { boxRoutes } from './boxes/routes.ts';
import { createGuessLimiter, type GuessLimiter } from './license/guesses.ts';
import { licenseRoutes } from './license/routes.ts';
import manifest from './package.json' with { type: 'json' };
import { catalogueRoutes, releaseRoutes } from './releases/routes.ts';
import { openReleases, type Releases } from './releases/service.ts';
import type { CommonServices, ControlPlaneOptions } from './services.ts';
import type { SigningKeys } from './signing/keys.ts';
import { signingRoutes } from './signing/routes.ts';
import { telemetryRoutes } from './telemetry/routes.ts';

/** What all rooms' handlers together are given. */
export interface ControlPlaneServices extends CommonServices {
  signing: SigningKeys;
  guesses: GuessLimiter;
  releases: Releases;
}

/** The owner of the migrations. There are no tenants here, so no table has a tenant. */
export const migrationOwner = {
  fullName: manifest.name,
  folder: dirname(fileURLToPath(import.meta.url)),
  boxTables: [
    'license_keys',
    'signing_keys',
    'download_reports',
    'boxes',
    'box_domains',
    'releases',
    'release_channels',
  ],
};

const areas: readonly ApiGroup<ControlPlaneServices>[] = [
  { name: 'licences', description: 'Licence keys and their activation', routes: licenseRoutes },
  { name: 'signing', description: 'The keys that verify activation tokens', routes: signingRoutes },
  { name: 'telemetry', description: 'Reports of what the registry served and refused', routes: telemetryRoutes },
  { name: 'boxes', description: 'Boxes and the domains they are reached at', routes: boxRoutes },
  { name: 'releases', description: 'Which versions of the packages go together', routes: releaseRoutes },
  { name: 'catalogue', description: 'What each tier holds', routes: catalogueRoutes },
];

/** Describes what the control plane serves. */
export function controlPlaneApi(
  options: ControlPlaneOptions,
  { db, signing }: Pick<ControlPlaneServices, 'db' | 'signing'>,
): ApiDescription<CredentialScope, ControlPlaneServices, Caller> {
  const { adminSecret, registrySecret, publishSecret, metricsSecret, trustProxy, strictResponses } = options;
  const { version } = manifest;
  const guesses = createGuessLimiter();
  const releases = openReleases(db);
  const scope = { db, guesses, adminSecret, registrySecret, publishSecret, metricsSecret };
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
    groups: (own) => [...areas, { name: 'service', description: 'The control plane itself', routes: own }],
    ownScope: scope,
    scope: () => scope,
    accessKinds,
    trustProxy,
    strictResponses,
    runIdempotently,
    services: (ctx, _, caller) => ({
      ...caller,
      db,
      settings: options,
      signing,
      guesses,
      releases,
      client: { address: ctx.ip },
      once: null,
    }),
  };
}

/** What is kept of a request with an Idempotency-Key is its work itself, so its work says whether it was done before. */
const runIdempotently: IdempotentRunner<ControlPlaneServices> = async (services, { key }, run) => {
  const once = { key, replayed: false };
  const reply = await run({ ...services, once });
  return { reply, replayed: once.replayed };
};

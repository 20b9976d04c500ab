/**
 * The start of a box, step by step.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareBackground } from './background/background.ts';
import type { BoxCaller } from './box/callers.ts';
import { dataFolders } from './box/data-folder.ts';
import { defaultRequestDeadline } from './box/scope.ts';
import type { Box, RequestServices } from './box/services.ts';
import type { TenantScope } from './box/tenancy.ts';
import { ComputeProcesses, computeProcesses } from './compute/compute.ts';
import { settings as boxSettings } from './config.ts';
import { openDatabase } from './db/database.ts';
import { lanesOf } from './db/lanes.ts';
import { outboxListeners } from './events/outbox.ts';
import { gatherExtensions } from './extension/extension.ts';
import type { AccessKind } from './http/credentials.ts';
import { removeStaleUploads } from './http/upload-folder.ts';
import { loadPackages } from './package/load.ts';
import { checkPackageSettings, readPackageSettings } from './package/settings.ts';
import { serviceObservers } from './services/observer.ts';
import { boxApi } from './start-box/box-api.ts';
import type { StartBoxOptions } from './start-box/options.ts';
import { prepareDatabase } from './start-box/prepare-database.ts';
import { type RunningApi, startService } from './start-service/start-service.ts';
import { vendor } from './vendor.ts';
import { shareOf } from './workers/workers.ts';

export type { StartBoxOptions } from './start-box/options.ts';

export interface RunningBox extends Box, RunningApi<RequestServices> {
  /** All ways to authenticate. */
  accessKinds: readonly AccessKind<TenantScope, BoxCaller>[];
}

/** Connections for the requests of a box with this many workers, by default; PostgreSQL allows 100 by default. */
function defaultPoolSize(workers: { count: number } | undefined): number {
  return Math.min(32, Math.max(10, 4 * (workers?.count ?? 1)));
}

/** Starts a box. @throws Error with one line about the cause */
export async function startBox(options: StartBoxOptions): Promise<RunningBox> {
  const {
    databaseUrl,
    tier,
    workers,
    requestDeadline = defaultRequestDeadline,
    uploadFolder,
    dataFolder = join(tmpdir(), `${vendor.name}-data`),
    environment = {},
  } = options;
  const about = { version: vendor.version, tier };
  return startService({ ...options, about }, async ({ log, operations, onClose }) => {
    const packages = await loadPackages(options.packages, options.packagesFrom);
    const settings = readPackageSettings(packages, environment, Object.keys(boxSettings));
    checkPackageSettings(packages, [...(options.extends ?? []), ...settings]);
    const connection = {
      url: databaseUrl,
      observer: operations.observeDatabase,
      ...(await prepareDatabase(databaseUrl, packages, log)),
    };
    const poolSize = shareOf(options.poolSize ?? defaultPoolSize(workers), workers);
    const lanes = lanesOf(databaseUrl);
    const database = openDatabase({
      ...connection,
      poolSize,
      lanes: lanes && shareOf(lanes, workers),
      statementTimeout: requestDeadline,
    });
    onClose(database.close);
    const observe = operations.observeBackground;
    const processes = new ComputeProcesses({ log });
    onClose(processes.close);
    const { indexWorkAfter } = options;
    const background = prepareBackground({ ...connection, packages, log, observe, workers, indexWorkAfter });
    onClose(background.stop);
    if (background.database) operations.watchPool('background', background.database.knex);
    const contributions = packages.flatMap((loaded) => loaded.extends ?? []);
    database.extensions = gatherExtensions([
      ...contributions,
      ...(options.extends ?? []),
      ...settings,
      dataFolders.with(dataFolder),
      computeProcesses.with(processes),
      outboxListeners.with(background.wake),
      serviceObservers.with(operations.observeServices),
    ]);
    for (const { onStart } of packages) onStart?.({ extensions: database.extensions, log });
    if (uploadFolder) await removeStaleUploads(uploadFolder);
    const onListening = () => background.start(database.extensions);
    const { box, api } = boxApi(options, { packages, database, log });
    return { api, handle: { ...box, accessKinds: api.accessKinds }, onListening, onRetiring: background.retire };
  });
}

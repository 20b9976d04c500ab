/**
 * The whole start of a box as one readable list.
 */
import { prepareBackground } from './background/background.ts';
import { boxApi } from './boot/api.ts';
import type { BootOptions } from './boot/options.ts';
import { prepareDatabase } from './boot/prepare-database.ts';
import type { BoxCaller } from './box/callers.ts';
import { defaultRequestDeadline } from './box/scope.ts';
import type { Box, RequestServices } from './box/services.ts';
import type { TenantScope } from './box/tenancy.ts';
import { settings as boxSettings } from './config.ts';
import { openDatabase } from './db/database.ts';
import { outboxListeners } from './events/outbox.ts';
import { gatherExtensions } from './extension/extension.ts';
import type { AccessKind } from './http/credentials.ts';
import { removeStaleUploads } from './http/upload-folder.ts';
import { loadPackages } from './package/load.ts';
import { readPackageSettings } from './package/settings.ts';
import { type RunningApi, startService } from './start/service.ts';
import { vendor } from './vendor.ts';

export type { BootOptions } from './boot/options.ts';

export interface RunningBox extends Box, RunningApi<RequestServices> {
  /** Every way to be let in. */
  accessKinds: readonly AccessKind<TenantScope, BoxCaller>[];
}

/** Starts a box. @throws Error with one clear line about what stops it */
export async function boot(options: BootOptions): Promise<RunningBox> {
  const {
    databaseUrl,
    tier,
    poolSize,
    requestDeadline = defaultRequestDeadline,
    uploadFolder,
    environment = {},
  } = options;
  const about = { version: vendor.version, tier };
  return startService({ ...options, about }, async ({ log, operations, closes }) => {
    const packages = await loadPackages(options.packages, options.packagesFrom);
    const settings = readPackageSettings(packages, environment, Object.keys(boxSettings));
    const connection = {
      url: databaseUrl,
      observer: operations.observeDatabase,
      ...(await prepareDatabase(databaseUrl, packages, log)),
    };
    const database = openDatabase({ ...connection, poolSize, statementTimeout: requestDeadline });
    closes(database.close);
    const background = prepareBackground({ ...connection, packages, log, observe: operations.observeBackground });
    closes(background.stop);
    operations.watchPool('background', background.database.knex);
    const contributed = packages.flatMap((loaded) => loaded.extends ?? []);
    database.extensions = gatherExtensions([...contributed, ...settings, outboxListeners.with(background.wake)]);
    if (uploadFolder) await removeStaleUploads(uploadFolder);
    const listening = () => background.start(database.extensions);
    const { box, api } = boxApi(options, { packages, database, log });
    return { api, given: { ...box, accessKinds: api.accessKinds }, listening };
  });
}

/**
 * What a box with the packages of a source tree serves, without starting it: its routes and who may call them.
 */
import { pino } from 'pino';
import { boxApi } from '../boot/api.ts';
import type { RunningBox } from '../boot.ts';
import type { Tier } from '../box/tier.ts';
import { settings as boxSettings } from '../config.ts';
import { openDatabase } from '../db/database.ts';
import { gatherExtensions } from '../extension/extension.ts';
import { startOperations } from '../operations/operations.ts';
import { loadPackages } from '../package/load.ts';
import { readPackageSettings } from '../package/settings.ts';
import { createApi } from '../start/api.ts';
import { packagesOfTier, sourceRoot } from './packages.ts';

export type DescribedBox = Pick<RunningBox, 'routes' | 'accessKinds' | 'permissions'>;

/** Describes a box with the packages of a tier. */
export async function describeBox(tier: Tier = 'enterprise'): Promise<DescribedBox> {
  const log = pino({ level: 'silent' });
  const packages = await loadPackages(packagesOfTier(tier), sourceRoot);
  // No connection is opened: nothing is queried.
  const database = openDatabase({ url: 'postgres://nobody@localhost/nowhere', applicationName: 'description' });
  try {
    const settings = readPackageSettings(packages, {}, Object.keys(boxSettings));
    database.extensions = gatherExtensions([...packages.flatMap((loaded) => loaded.extends ?? []), ...settings]);
    const options = { databaseUrl: '', tier, packages: [], packagesFrom: sourceRoot, host: '', port: 0 };
    const { box, api } = boxApi(options, { packages, database, log });
    const { routes } = await createApi(api, { log, operations: await startOperations({ log, about: {} }) });
    return { routes, accessKinds: api.accessKinds, permissions: box.permissions };
  } finally {
    await database.close();
  }
}

/**
 * What a box with the packages of a source tree serves, without starting it: its routes and who may call them.
 */
import { pino } from 'pino';
import type { Tier } from '../box/tier.ts';
import { settings as boxSettings } from '../config.ts';
import { openDatabase } from '../db/database.ts';
import { gatherExtensions } from '../extension/extension.ts';
import { startOperations } from '../operations/operations.ts';
import { type LoadedPackage, loadPackages } from '../package/load.ts';
import { readPackageSettings } from '../package/settings.ts';
import { boxApi } from '../start-box/box-api.ts';
import type { RunningBox } from '../start-box.ts';
import { createApi } from '../start-service/service-api.ts';
import type { TestDocument } from './document.ts';
import { packagesOfTier, sourceRoot, withDependencies } from './packages.ts';

export type DescribedBox = Pick<RunningBox, 'routes' | 'accessKinds' | 'permissions'>;

export interface CompleteDescription extends DescribedBox {
  packages: readonly LoadedPackage[];
  /** Its document, as a client reads it. */
  document(): Promise<TestDocument>;
}

export interface DescribeOptions {
  tier?: Tier;
  /** Full names. Default: all packages of the tier. */
  packages?: readonly string[];
  /** A file beside the node_modules with the packages. Default: the source tree's. */
  packagesFrom?: string;
}

/** Describes a box, by default one with all packages of a tier. */
export async function describeBox({
  tier = 'enterprise',
  packages: names = packagesOfTier(tier),
  packagesFrom = sourceRoot,
}: DescribeOptions = {}): Promise<CompleteDescription> {
  const log = pino({ level: 'silent' });
  const packages = await loadPackages(withDependencies(names), packagesFrom);
  // No connection is opened: nothing is queried.
  const database = openDatabase({ url: 'postgres://nobody@localhost/nowhere', applicationName: 'description' });
  try {
    const settings = readPackageSettings(packages, {}, Object.keys(boxSettings));
    database.extensions = gatherExtensions([...packages.flatMap((loaded) => loaded.extends ?? []), ...settings]);
    const options = { databaseUrl: '', tier, packages: [], packagesFrom: sourceRoot, host: '', port: 0 };
    const { box, api } = boxApi(options, { packages, database, log });
    const operations = await startOperations({ log, about: {} });
    const { routes, document } = await createApi(api, { log, operations });
    const described = { routes, accessKinds: api.accessKinds, permissions: box.permissions, packages };
    return { ...described, document: async () => JSON.parse(JSON.stringify(await document())) };
  } finally {
    await database.close();
  }
}

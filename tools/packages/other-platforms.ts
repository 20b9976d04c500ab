// Packages of platforms that npm has not installed here, since they are not those of this machine: fetched as
// package-lock.json has them, so that whichever machine publishes, all platforms are published.

import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import pacote from 'pacote';

/** Returns the folder of a package; undefined if package-lock.json does not have it. */
export type FetchPackage = (name: string) => Promise<string | undefined>;

export type OtherPlatformsOptions = {
  /** The checkout with package-lock.json. */
  root: string;
  /** Folder that keeps what was fetched. */
  folder: string;
  /** npm's registry. Default: that of npm. */
  registryUrl?: string | undefined;
  log?: (line: string) => void;
};

type LockFile = { packages?: Record<string, { version?: string; integrity?: string }> };

/** Opens the fetching of packages, each of which is fetched once. It throws if the registry has other content. */
export function openOtherPlatforms({ root, folder, registryUrl, log = () => {} }: OtherPlatformsOptions): FetchPackage {
  const registry = registryUrl ?? process.env.npm_config_registry;
  const options = registry === undefined ? {} : { registry };
  let lock: Promise<LockFile> | undefined;
  return async (name) => {
    lock ??= readFile(join(root, 'package-lock.json'), 'utf8').then((text) => JSON.parse(text));
    const { packages = {} } = await lock;
    const key = Object.keys(packages).find(
      (path) => path === join('node_modules', name) || path.endsWith(`/node_modules/${name}`),
    );
    const { version, integrity } = packages[key ?? ''] ?? {};
    if (key === undefined || version === undefined || integrity === undefined) return undefined;
    const target = join(folder, `${name}@${version}`);
    if (existsSync(target)) return target;
    log(`fetching ${name} ${version}, which is not of this machine`);
    const draft = `${target}.${randomUUID()}`;
    await mkdir(dirname(target), { recursive: true });
    try {
      await pacote.extract(`${name}@${version}`, draft, { ...options, integrity });
      await rename(draft, target);
    } catch (error) {
      throw new Error(`${name} ${version} cannot be fetched from npm's registry: ${(error as Error).message}`);
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
    return target;
  };
}

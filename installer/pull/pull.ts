/**
 * Pulling the packages of a release. Each is unpacked into a temporary folder and renamed when it is complete, so an
 * interruption leaves no incomplete package.
 */
import { rename, rm } from 'node:fs/promises';
import pacote from 'pacote';
import type { BoxFolder } from '../box/folder.ts';
import { interrupted } from '../failure.ts';
import type { Output } from '../output/output.ts';
import { findPackage, packageFolder } from '../release/layout.ts';
import { reusePackage, stampPackage } from '../release/stamp.ts';
import { unpack } from './extract.ts';
import { mapConcurrently } from './map-concurrently.ts';
import type { Registry } from './registry.ts';
import type { ResolvedPackage } from './resolve.ts';

const maxConcurrent = 6;

/** What a pull has to do. */
export interface PullPlan {
  /** Each package, and its folder if it is already on disk. */
  packages: { resolved: ResolvedPackage; existing: string | undefined }[];
  /** Size on disk of the packages to pull, as far as the registry declares it. */
  bytesToPull: number;
  packagesToPull: number;
}

/** Finds the packages that are already on disk and intact, in other releases or after an interrupted install. */
export async function planPull(folder: BoxFolder, packages: readonly ResolvedPackage[]): Promise<PullPlan> {
  const planned = await mapConcurrently(packages, maxConcurrent, async (resolved) => ({
    resolved,
    existing: await findPackage(folder, resolved),
  }));
  const missing = planned.filter(({ existing }) => existing === undefined).map(({ resolved }) => resolved);
  return {
    packages: planned,
    bytesToPull: missing.reduce((sum, { unpackedSize }) => sum + unpackedSize, 0),
    packagesToPull: missing.length,
  };
}

/**
 * Puts all packages of the plan into a partial release.
 * @param partial the folder from `createPartial`
 * @throws Failure like `Registry.request`
 */
export async function pullPackages(
  registry: Registry,
  plan: PullPlan,
  partial: string,
  output: Output,
  signal?: AbortSignal,
): Promise<void> {
  const { bytesToPull: totalBytes } = plan;
  let bytes = 0;
  let done = 0;
  const addBytes = (more: number) => {
    bytes += more;
    output.receiving(bytes, totalBytes);
  };
  await mapConcurrently(plan.packages, maxConcurrent, async ({ resolved, existing }) => {
    if (signal?.aborted) throw interrupted();
    const target = packageFolder(partial, resolved.name);
    if (existing === undefined) await pullPackage(registry, resolved, target, addBytes);
    else if (existing !== target) await replaceFolder(target, (temporary) => reusePackage(existing, temporary));
    done += 1;
    const source = existing === undefined ? 'pulled' : 'reused';
    const { name, version } = resolved;
    output.pulled({ name, version, done, total: plan.packages.length, bytes, totalBytes, source });
  });
}

async function pullPackage(
  registry: Registry,
  resolved: ResolvedPackage,
  target: string,
  addBytes: (bytes: number) => void,
): Promise<void> {
  const what = `${resolved.name} ${resolved.version}`;
  await replaceFolder(target, (temporary) =>
    registry.request(what, async (options) => {
      let counted = 0;
      const count = (bytes: number) => {
        counted += bytes;
        addBytes(bytes);
      };
      try {
        // pacote may call the handler twice: it fetches a tarball again after a failed integrity check.
        await pacote.tarball.stream(
          `${resolved.name}@${resolved.version}`,
          (tarball) => unpack(tarball, temporary, what, count),
          { ...options, integrity: resolved.integrity },
        );
      } catch (error) {
        addBytes(-counted); // a failed download does not count as progress
        throw error;
      }
      await stampPackage(temporary, resolved);
    }),
  );
}

/** Calls `fill` for a temporary folder, then renames it to the target; removes it after an error. */
async function replaceFolder(target: string, fill: (temporary: string) => Promise<void>): Promise<void> {
  const temporary = `${target}.incoming`;
  await rm(temporary, { recursive: true, force: true });
  try {
    await fill(temporary);
    await rm(target, { recursive: true, force: true });
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Bringing the packages of a release to disk, a few at a time. Each is unpacked beside its place and renamed into it
 * when it is whole, so whatever interrupts this leaves only packages that are whole or not there.
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

/** What is to be done for each package of a release, known before it is done. */
export interface PullPlan {
  packages: { wanted: ResolvedPackage; present: string | undefined }[];
  /** Bytes on disk that will be added, as far as the registry declares sizes. */
  bytesToPull: number;
  packagesToPull: number;
}

/** Looks which packages are on disk already, whole: in other releases or left by an interrupted install. */
export async function planPull(folder: BoxFolder, packages: readonly ResolvedPackage[]): Promise<PullPlan> {
  const planned = await mapConcurrently(packages, maxConcurrent, async (wanted) => ({
    wanted,
    present: await findPackage(folder, wanted),
  }));
  const missing = planned.filter(({ present }) => present === undefined).map(({ wanted }) => wanted);
  return {
    packages: planned,
    bytesToPull: missing.reduce((sum, { unpackedSize }) => sum + unpackedSize, 0),
    packagesToPull: missing.length,
  };
}

/**
 * Puts every package of the plan into the release under construction.
 * @param partial the release's folder, as `makePartial` made it
 * @throws Failure as `Registry.use` does
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
  const receive = (more: number) => {
    bytes += more;
    output.receiving(bytes, totalBytes);
  };
  await mapConcurrently(plan.packages, maxConcurrent, async ({ wanted, present }) => {
    if (signal?.aborted) throw interrupted();
    const place = packageFolder(partial, wanted.name);
    if (present === undefined) await pullPackage(registry, wanted, place, receive);
    else if (present !== place) await replaceFolder(place, (temporary) => reusePackage(present, temporary));
    done += 1;
    const source = present === undefined ? 'pulled' : 'reused';
    const { name, version } = wanted;
    output.pulled({ name, version, done, total: plan.packages.length, bytes, totalBytes, source });
  });
}

async function pullPackage(
  registry: Registry,
  wanted: ResolvedPackage,
  place: string,
  receive: (bytes: number) => void,
): Promise<void> {
  const what = `${wanted.name} ${wanted.version}`;
  await replaceFolder(place, (temporary) =>
    registry.use(what, async (options) => {
      let counted = 0;
      const count = (bytes: number) => {
        counted += bytes;
        receive(bytes);
      };
      try {
        // The handler may be called twice: pacote fetches a tarball once more when its contents are not as declared.
        await pacote.tarball.stream(
          `${wanted.name}@${wanted.version}`,
          (tarball) => unpack(tarball, temporary, what, count),
          { ...options, integrity: wanted.integrity },
        );
      } catch (error) {
        receive(-counted); // what failed does not count as progress
        throw error;
      }
      await stampPackage(temporary, wanted);
    }),
  );
}

/** Lets `fill` make the package's folder beside its place, then renames it there; takes it away when that fails. */
async function replaceFolder(place: string, fill: (temporary: string) => Promise<void>): Promise<void> {
  const temporary = `${place}.incoming`;
  await rm(temporary, { recursive: true, force: true });
  try {
    await fill(temporary);
    await rm(place, { recursive: true, force: true });
    await rename(temporary, place);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    throw error;
  }
}

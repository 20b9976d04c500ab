/**
 * Pulling the packages of a release. Each is unpacked into a temporary folder and renamed when it is complete, so an
 * interruption leaves no incomplete package.
 */
import { rename, rm } from 'node:fs/promises';
import type { BoxFolder } from '../box/folder.ts';
import { Failure, interrupted } from '../failure.ts';
import type { Output } from '../output/output.ts';
import { findPackage, packageFolder } from '../release/layout.ts';
import { reusePackage, stampPackage } from '../release/stamp.ts';
import { unpack } from './extract.ts';
import { mapConcurrently } from './map-concurrently.ts';
import { maxUnpackedBytes } from './packument.ts';
import type { Registry } from './registry.ts';
import type { ResolvedPackage } from './resolve.ts';

const maxConcurrent = 6;
/** A registry may count a package's size a little differently. The check of the disk adds the same. */
const sizeTolerance = 1.1;
const smallestLimit = 1_000_000;

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
 * @throws Failure like `Registry.download`, and integrity_failed for a package that is none
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
  // The largest first: begun last, it would be pulled alone.
  const sizeToPull = ({ resolved, existing }: PullPlan['packages'][number]) => (existing ? 0 : resolved.unpackedSize);
  const inOrder = plan.packages.toSorted((one, other) => sizeToPull(other) - sizeToPull(one));
  await mapConcurrently(inOrder, maxConcurrent, async ({ resolved, existing }) => {
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

/**
 * Downloads a package, and unpacks it once its digest is right: what an attacker between the vendor and this machine
 * sends is never unpacked.
 */
async function pullPackage(
  registry: Registry,
  resolved: ResolvedPackage,
  target: string,
  addBytes: (bytes: number) => void,
): Promise<void> {
  const { name, version, unpackedSize } = resolved;
  const what = `${name} ${version}`;
  const maxBytes = unpackedSize > 0 ? Math.ceil(unpackedSize * sizeTolerance) + smallestLimit : maxUnpackedBytes;
  const tarball = `${target}.tgz.incoming`;
  let counted = 0;
  const countTo = (bytes: number) => {
    addBytes(bytes - counted);
    counted = bytes;
  };
  try {
    await registry.download(resolved, tarball, maxBytes, (bytes, total) =>
      // The progress is in bytes on disk.
      countTo(total === undefined ? 0 : Math.floor((unpackedSize * Math.min(bytes, total)) / total)),
    );
    await replaceFolder(target, async (temporary) => {
      const files = await unpack(tarball, temporary, what, maxBytes).catch((error) => {
        throw explainCorrupt(what, error);
      });
      await stampPackage(temporary, { name, version, integrity: resolved.integrity }, files);
    });
    countTo(unpackedSize);
  } catch (error) {
    countTo(0); // a failed download does not count as progress
    throw error;
  } finally {
    await rm(tarball, { force: true });
  }
}

/** A tarball with the right digest that is corrupt was published so. Other errors, such as a full disk, are not its. */
function explainCorrupt(what: string, error: NodeJS.ErrnoException): Error {
  if (!/^(TAR_|Z_)/.test(error.code ?? '')) return error;
  return new Failure('integrity_failed', `${what} is not a valid package: ${error.message}`, 'Contact the vendor', {
    package: what,
  });
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

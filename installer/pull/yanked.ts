/**
 * Yanked versions: the vendor marks them with `npm deprecate`, which gives the reason. A box that has such a version keeps
 * it, and can pull it again; no other box gets it unless its operator wants it.
 */
import { Failure } from '../failure.ts';
import type { Output } from '../output/output.ts';
import type { ReleaseLock } from '../release/lock-file.ts';
import type { ResolvedPackage } from './resolve.ts';

/**
 * Rejects yanked versions that the box does not have, and warns of others.
 * @param installed the lock of the current release; undefined for a new box
 * @param allow whether the operator wants yanked versions
 * @throws Failure yanked
 */
export function rejectYanked(
  packages: readonly ResolvedPackage[],
  installed: ReleaseLock | undefined,
  allow: boolean,
  output: Output,
): void {
  const yanked = packages.filter(({ yankedFor }) => yankedFor !== undefined);
  for (const { name, version, integrity, yankedFor } of yanked) {
    const what = `${name} ${version} was yanked by the vendor: ${yankedFor}`;
    const present = installed?.packages[name];
    if (allow || (present?.version === version && present.integrity === integrity)) {
      output.warn(what, { package: name, version });
      continue;
    }
    throw new Failure(
      'yanked',
      what,
      'Nothing was installed. Wait for the next release, or install it anyway with --allow-yanked',
      { package: name, version },
    );
  }
}

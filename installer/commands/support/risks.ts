/**
 * Warnings of what works and should not be so: a box of root, a licence key that can be read on its way, and a switch with a
 * gap.
 */
import { findIgnored } from '../../box/declared-settings.ts';
import type { Launch } from '../../box/environment.ts';
import type { BoxFolder } from '../../box/folder.ts';
import { isReadable } from '../../network.ts';
import type { Output } from '../../output/output.ts';
import type { ReleaseLock } from '../../release/lock-file.ts';
import { embeddedDatabasePrefix, vendor } from '../../vendor.ts';

/** Warns before an activation. */
export function warnOfUnencrypted(controlPlaneUrl: string, output: Output): void {
  if (!isReadable(controlPlaneUrl)) return;
  const { origin } = new URL(controlPlaneUrl);
  output.warn(`the licence key can be read on its way to ${origin}, which does not encrypt: use https`, {
    risk: 'unencrypted',
  });
}

/** Warns before a start. */
export function warnOfRoot(output: Output): void {
  if (process.getuid?.() !== 0) return;
  output.warn(
    `the box runs as root, who may do anything on this machine: give it a user of its own with "${vendor} service install", or run the command as another user`,
    { risk: 'root' },
  );
}

/** Warns of lines in `box.env` that do not reach the box. */
export async function warnOfIgnored(folder: BoxFolder, launch: Launch, output: Output): Promise<void> {
  const names = await findIgnored(folder, launch);
  if (names.length === 0) return;
  const what = `${names.join(', ')} in box.env ${names.length === 1 ? 'is no setting and does' : 'are no settings and do'}`;
  output.warn(`${what} not reach the box: ${vendor} config check says more`, { risk: 'ignored_settings', names });
}

/** Warns before a switch to a release with another PostgreSQL, which cannot take over the running one. */
export function warnOfDatabaseRestart(before: ReleaseLock | undefined, after: ReleaseLock, output: Output): void {
  for (const [name, { version }] of Object.entries(after.packages)) {
    const former = before?.packages[name]?.version;
    if (!name.startsWith(embeddedDatabasePrefix) || former === undefined || former === version) continue;
    output.warn(
      `PostgreSQL ${former} is replaced by ${version} and restarted at the switch: requests get 503 for some seconds`,
      { risk: 'database_restart' },
    );
  }
}

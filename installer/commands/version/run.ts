/**
 * The command line of `version`: what is installed and runs here.
 */
import { boxFolder, releaseFolder } from '../../box/folder.ts';
import { findRunningBox } from '../../box/running.ts';
import { readSettings } from '../../box/settings.ts';
import { readRelease } from '../../control-plane.ts';
import { chooseOutput } from '../../output/choose.ts';
import { counted } from '../../output/output.ts';
import { currentRelease } from '../../release/layout.ts';
import { type ReleaseLock, readLock } from '../../release/lock-file.ts';
import { embeddedDatabasePrefix, runtimePackage, version } from '../../vendor.ts';
import { abortOnSignals, runCommand } from '../support/run-command.ts';

interface Options {
  dir: string;
  json?: boolean;
}

/** Runs `version` and sets the exit status. It works without a box, too. */
export async function runVersion({ dir, json, check }: Options & { check?: boolean }): Promise<void> {
  const output = await chooseOutput({ json });
  await runCommand(output, async () => {
    const folder = boxFolder(dir);
    const settings = await readSettings(folder);
    const release = await currentRelease(folder);
    const lock = release ? await readLock(releaseFolder(folder, release)) : undefined;
    const running = (await findRunningBox(folder))?.release;
    const newest =
      check && settings ? await readRelease(settings.controlPlaneUrl, settings.channel, abortOnSignals()) : undefined;
    const changes = newest?.packages.filter(({ name, integrity }) => {
      const installed = lock?.packages[name];
      return installed !== undefined && installed.integrity !== integrity;
    });
    const result = {
      command: version,
      node: process.versions.node,
      release,
      engine: lock?.packages[runtimePackage]?.version,
      postgresql: postgresqlOf(lock),
      runningRelease: running,
      ...(newest && { newest: { version: newest.version, changes: changes?.length ?? 0 } }),
    };
    output.result(result, [
      `command     ${version}`,
      `Node.js     ${process.versions.node}`,
      `release     ${release ? `${release}, engine ${result.engine ?? 'missing'}` : 'none installed'}`,
      ...(result.postgresql ? [`PostgreSQL  ${result.postgresql} (embedded)`] : []),
      ...(release ? [`running     ${running ?? 'no'}`] : []),
      ...(newest
        ? [
            `newest      ${newest.version}: ${changes?.length ? `changes ${counted(changes.length, 'package')}` : 'installed'}`,
          ]
        : []),
    ]);
    return 0;
  });
}

function postgresqlOf(lock: ReleaseLock | undefined): string | undefined {
  return Object.entries(lock?.packages ?? {}).find(([name]) => name.startsWith(embeddedDatabasePrefix))?.[1].version;
}

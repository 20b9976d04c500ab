/**
 * The command line of `upgrade`: `install` for a box that is installed.
 */
import { boxFolder } from '../../box/folder.ts';
import { requireSettings } from '../../box/settings.ts';
import { chooseOutput } from '../../output/choose.ts';
import { vendor } from '../../vendor.ts';
import { install } from '../install/install.ts';
import { abortOnSignals, runCommand } from '../support/run-command.ts';

interface Options {
  dir: string;
  json?: boolean;
  version?: string;
  channel?: string;
  unpin?: boolean;
  start: boolean;
  allowYanked?: boolean;
  ownBackup?: boolean;
  healthTimeout: number;
}

/** Runs `upgrade` and sets the exit status. */
export async function runUpgrade({ json, healthTimeout: healthSeconds, ...options }: Options): Promise<void> {
  const output = await chooseOutput({ json });
  await runCommand(output, async () => {
    const folder = boxFolder(options.dir);
    const before = await requireSettings(folder);
    const result = await install({ ...options, healthSeconds, signal: abortOnSignals() }, output);
    const after = await requireSettings(folder);
    const { version, pinnedVersion } = after;
    const from = before.version && before.version !== version ? ` from ${before.version}` : '';
    output.result({ ...result, version, ...(pinnedVersion && { pinnedVersion }) }, [
      result.changed
        ? `The box is upgraded${from} to release ${version}.`
        : `The box is up to date: release ${version}.`,
      ...(pinnedVersion ? [`It stays at this release until ${vendor} upgrade --unpin.`] : []),
      ...(result.running ? [`address   ${result.url}`] : [`It is not running. Start it with ${vendor} start.`]),
    ]);
    return 0;
  });
}

/**
 * The command line of `status`.
 */
import { chooseOutput } from '../../output/choose.ts';
import { counted, megabytes } from '../../output/output.ts';
import { describeKept } from '../../upgrade/kept-migrations.ts';
import { vendor } from '../../vendor.ts';
import { describeFailure } from '../doctor/backup.ts';
import { runCommand } from '../support/run-command.ts';
import { type StatusResult, status, statusExitCode } from './status.ts';

interface Options {
  dir: string;
  json?: boolean;
}

/** Runs `status` and sets the exit status: 0 only for a healthy box. */
export async function runStatus(options: Options): Promise<void> {
  const output = await chooseOutput(options);
  await runCommand(output, async () => {
    const result = await status(options);
    const exitCode = statusExitCode(result);
    output.result(result, describe(result), exitCode);
    return exitCode;
  });
}

function describe(result: StatusResult): string[] {
  const names = Object.keys(result.packages);
  const width = Math.max(...names.map((name) => name.length), 0);
  return [
    `folder    ${result.dir}`,
    `licence   ${result.tier} tier (customer ${result.customerId})`,
    `release   ${describeRelease(result)}, ${names.length} packages`,
    `box       ${describeProcess(result)}`,
    `address   ${result.url}${describeHealth(result)}`,
    ...(result.databasePid
      ? [
          `database  still runs (process ${result.databasePid}): the box was killed. ${vendor} start takes it over, stop ends it`,
        ]
      : []),
    ...(result.archiving?.failing ? [`archive   ${describeFailure(result.archiving)}`] : []),
    ...(result.upgradeBackups.count > 0
      ? [`upgrades  ${counted(result.upgradeBackups.count, 'backup')}, ${megabytes(result.upgradeBackups.bytes)}`]
      : []),
    ...(result.keptMigrations ?? []).map((each) => `warning   the database ${describeKept(each)}`),
    ...(result.interrupted
      ? [`warning   a ${result.interrupted} was interrupted: ${vendor} start completes or undoes it`]
      : []),
    '',
    ...names.map((name) => `${name.padEnd(width)}  ${result.packages[name]}`),
  ];
}

function describeRelease({ release, version, pinnedVersion }: StatusResult): string {
  if (!release) return 'none';
  return `${version ? `${version} (${release})` : release}${pinnedVersion ? ', pinned' : ''}`;
}

function describeProcess({ running, restarting, pid, workers = 1, release, runningRelease }: StatusResult): string {
  if (restarting) return `has crashed and is restarted within 30 seconds (its output: ${vendor} logs)`;
  if (!running) return `not running (start it with ${vendor} start)`;
  const processes = workers === 1 ? `process ${pid}` : `${workers} workers, process ${pid} and others`;
  return runningRelease === release
    ? `running (${processes})`
    : `running (${processes}) release ${runningRelease}; stop and start it to run ${release}`;
}

function describeHealth({ running, healthy, healthStatus }: StatusResult): string {
  if (!running) return '';
  if (healthy) return ' (healthy)';
  return healthStatus === undefined ? ' (no response)' : ` (/health responds with ${healthStatus})`;
}

/**
 * The command line of `rollback`.
 */
import { chooseOutput } from '../../output/choose.ts';
import { vendor } from '../../vendor.ts';
import { abortOnSignals, runCommand } from '../support/run-command.ts';
import { type RollbackResult, rollback, summaryOf } from './rollback.ts';

interface Options {
  dir: string;
  json?: boolean;
  withData?: boolean;
  acceptLoss?: boolean;
  allowUnverified?: boolean;
  start: boolean;
  healthTimeout: number;
}

/** Runs `rollback` and sets the exit status. */
export async function runRollback({ json, healthTimeout: healthSeconds, ...options }: Options): Promise<void> {
  const output = await chooseOutput({ json });
  await runCommand(output, async () => {
    const result = await rollback({ ...options, healthSeconds, signal: abortOnSignals() }, output);
    output.result(result, describe(result));
    return 0;
  });
}

function describe({ from, to, withData, lost, replacedData, running, url }: RollbackResult): string[] {
  return [
    `The box is back at release ${to.version ?? to.release} (from ${from.version ?? from.release}).`,
    ...(withData ? [] : ['All data stays as it is.']),
    ...(lost ? [`lost      ${summaryOf(lost)}`] : []),
    ...(lost && lost.rows > 0 ? [`content   ${lost.file}`] : []),
    ...(replacedData ? [`replaced  ${replacedData}`] : []),
    ...(running ? [`address   ${url}`] : [`It is not running. Start it with ${vendor} start.`]),
    `The next upgrade installs the newest release again; ${vendor} upgrade --version chooses another.`,
  ];
}

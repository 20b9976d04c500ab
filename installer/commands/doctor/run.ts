/**
 * The command line of `doctor`: a line for each check, and the command that mends what is wrong.
 */
import { exitCodes } from '../../exit-codes.ts';
import { chooseOutput } from '../../output/choose.ts';
import { abortOnSignals, runCommand } from '../support/run-command.ts';
import { doctor, type Finding } from './doctor.ts';

interface Options {
  dir: string;
  json?: boolean;
  offline?: boolean;
  backup?: boolean;
  passphraseFile?: string;
}

/** Runs `doctor` and sets the exit status: 0 unless there is a problem. */
export async function runDoctor({ dir, json, ...options }: Options): Promise<void> {
  const output = await chooseOutput({ json });
  await runCommand(output, async () => {
    const findings = await doctor({ dir, ...options, output, signal: abortOnSignals() }, (finding) => {
      const { check, state, advice } = finding;
      const text = `${check.padEnd(9)} ${finding.message}${advice ? `. ${advice}` : ''}`;
      if (state === 'ok') output.info('check', text, finding);
      else if (state === 'warning') output.warn(text, finding);
      else output.problem(text, finding);
    });
    const problems = findings.filter(({ state }) => state === 'problem').length;
    const exitCode = exitCodes[problems > 0 ? 'problems_found' : 'ok'].status;
    output.result({ problems, findings }, [describe(findings)], exitCode);
    return exitCode;
  });
}

function describe(findings: readonly Finding[]): string {
  const count = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length;
  const [problems, warnings] = [count('problem'), count('warning')];
  if (problems + warnings === 0) return 'Nothing is wrong.';
  const of = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`;
  return `${of(problems, 'problem')}, ${of(warnings, 'warning')}.`;
}

/**
 * The command that runs rigs, as its reader runs it.
 */
import { type ChildProcess, execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const words = ['--conditions=workspace-source', fileURLToPath(new URL('../../run.ts', import.meta.url))];

export interface EndedRig {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the command to its end. */
export function rig(...parameters: string[]): Promise<EndedRig> {
  return promisify(execFile)(process.execPath, [...words, ...parameters]).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error) => error as EndedRig,
  );
}

/** The last line, which is JSON. */
export function found({ stdout }: EndedRig) {
  return JSON.parse(stdout.trim().split('\n').at(-1) as string);
}

/** Begins the command, and calls back once it has said something; resolves with what it said and its exit code. */
export async function rigUntil(
  said: RegExp,
  then: (child: ChildProcess) => void,
  ...parameters: string[]
): Promise<{ code: number | null; output: string }> {
  const child = execFile(process.execPath, [...words, ...parameters]);
  let output = '';
  let isSaid = false;
  child.stdout?.on('data', (chunk: string) => {
    output += chunk;
    if (isSaid || !said.test(output)) return;
    isSaid = true;
    then(child);
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}

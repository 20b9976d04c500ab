/**
 * Runs the command `npm run rig` in tests.
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

/** Runs the command until it exits. */
export function rig(...parameters: string[]): Promise<EndedRig> {
  return promisify(execFile)(process.execPath, [...words, ...parameters]).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error) => error as EndedRig,
  );
}

/** Parses the last line, which is JSON. */
export function found({ stdout }: EndedRig) {
  return JSON.parse(stdout.trim().split('\n').at(-1) as string);
}

/** Starts the command and calls back when its output matches; resolves with the output and the exit code. */
export async function rigUntil(
  pattern: RegExp,
  then: (child: ChildProcess) => void,
  ...parameters: string[]
): Promise<{ code: number | null; output: string }> {
  const child = execFile(process.execPath, [...words, ...parameters]);
  let output = '';
  let isMatched = false;
  child.stdout?.on('data', (chunk: string) => {
    output += chunk;
    if (isMatched || !pattern.test(output)) return;
    isMatched = true;
    then(child);
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}

/**
 * Runs a script of this project while the test goes on: what it calls may run in the process of the test.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

export interface ScriptResult {
  status: number;
  stdout: string;
  stderr: string;
}

/** @param environment beside PATH */
export async function runScript(
  path: string,
  parameters: readonly string[],
  environment: Record<string, string | undefined> = {},
  cwd?: string,
): Promise<ScriptResult> {
  const child = spawn(process.execPath, ['--conditions=workspace-source', path, ...parameters], {
    cwd,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { status, stdout, stderr };
}

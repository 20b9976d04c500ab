/**
 * The control plane as a process of its own, for tests.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));
export const settings = {
  ADMIN_SECRET: 'admin secret of the tests',
  REGISTRY_SECRET: 'registry-secret-of-the-tests',
  REGISTRY_URL: 'https://registry.example/',
  CONTROL_PLANE_PORT: '0',
};

export interface Run {
  child: ChildProcess;
  output(): string;
  /** The exit code, or the name of the signal. */
  ended: Promise<number | string>;
  /** The URL it listens at. */
  url: Promise<string>;
}

/** Starts a process that ends with the test. */
export function run(t: Test, environment: Record<string, string>, words: readonly string[] = []): Run {
  const child = spawn(process.execPath, ['--conditions=workspace-source', main, ...words], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const url = new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk;
      const line = output.split('\n').find((text) => text.includes('"msg":"listening"'));
      if (line) resolve(JSON.parse(line).url);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('close', () => reject(new Error(output)));
  });
  url.catch(() => {});
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal);
  t.teardown(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { child, output: () => output, ended, url };
}

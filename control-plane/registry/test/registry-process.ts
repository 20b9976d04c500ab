// The registry as a process of its own, which a test ends as it likes.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { makeFolder, publishSecret, registrySecret } from '../testing/index.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

/** Starts it with these settings in place of those of a registry that works; it is killed after the test. */
export async function runRegistry(t: Test, environment: Record<string, string>, parameters: string[] = []) {
  const child = spawn(process.execPath, ['--conditions=workspace-source', main, ...parameters], {
    env: {
      PATH: process.env.PATH,
      REGISTRY_STORAGE: await makeFolder(t),
      CONTROL_PLANE_URL: 'http://127.0.0.1:9',
      REGISTRY_SECRET: registrySecret,
      PUBLISH_SECRET: publishSecret,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  const output = { text: '', errors: '' };
  child.stdout.on('data', (chunk) => {
    output.text += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output.errors += chunk;
  });
  const ended = once(child, 'close').then(([code]) => code as number);
  return { child, output, ended };
}

export type RegistryProcess = Awaited<ReturnType<typeof runRegistry>>;

/** Waits until the process listens; returns its URL. */
export async function listening({ child, output, ended }: RegistryProcess): Promise<string> {
  const isOver = ended.then(() => {
    throw new Error(`the registry has ended: ${output.errors}`);
  });
  while (!output.text.includes('the registry is listening')) await Promise.race([once(child.stdout, 'data'), isOver]);
  isOver.catch(() => {});
  const line = output.text.split('\n').find((text) => text.includes('the registry is listening')) as string;
  return JSON.parse(line).localUrl;
}

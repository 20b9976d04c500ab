/**
 * `npm run smoke`: tests the installer's binary in an empty folder, with an empty environment and without Node.js. It
 * installs and starts a box against the local stack, lets it resize a picture with a native library, and measures the
 * time of `--version`.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, processesWith, temporaryFolder } from '@carton/runtime/testing';
import { smokeNative } from './smoke/native.ts';
import { root, stackPlace, startStack } from './test/support/stack.ts';

const run = promisify(execFile);
const binary = join(root, 'dist', `carton-linux-${process.arch}`);
const cleanups: (() => Promise<void>)[] = [];
const cleaning = { teardown: (task: () => Promise<void>) => cleanups.unshift(task) };
let checks = 0;

function check(passed: boolean, description: string): void {
  checks++;
  console.log(`${passed ? 'ok' : 'not ok'} ${checks} - ${description}`);
  if (!passed) throw new Error(description);
}

/** Runs the binary with an empty environment. */
async function carton(folder: string, ...parameters: string[]): Promise<{ code: number; output: string }> {
  const child = spawn(join(folder, 'carton'), parameters, { cwd: folder, env: {}, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const [code] = await once(child, 'close');
  return { code, output };
}

/** Median run times of commands in milliseconds. They run alternately, so that changes of the machine affect both. */
async function medians(runs: number, ...commands: [file: string, parameters: string[]][]): Promise<number[]> {
  const times = commands.map((): number[] => []);
  for (let turn = 0; turn <= runs; turn++) {
    for (const [index, [file, parameters]] of commands.entries()) {
      const started = performance.now();
      await run(file, parameters, { env: {} });
      if (turn > 0) times[index]?.push(performance.now() - started);
    }
  }
  return times.map((list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)] as number);
}

async function smoke(): Promise<void> {
  const folder = await temporaryFolder('smoke-');
  cleaning.teardown(() => rm(folder, { recursive: true, force: true }));
  await copyFile(binary, join(folder, 'carton'));
  check((await readdir(folder)).length === 1, 'the binary is alone in a folder');
  const version = await carton(folder, '--version');
  check(version.code === 0 && /^\d+\.\d+\.\d+/.test(version.output), `--version prints ${version.output.trim()}`);
  const [own, bare] = await medians(15, [join(folder, 'carton'), ['--version']], [process.execPath, ['-e', '0']]);
  console.log(
    JSON.stringify({
      name: 'version',
      ratio: Math.round(((own as number) / (bare as number)) * 100) / 100,
      binaryMilliseconds: own,
      nodeMilliseconds: bare,
    }),
  );

  const stack = await startStack(cleaning, await stackPlace(cleaning), '--tier', 'basic');
  check(true, 'the local stack is ready');
  await writeFile(join(folder, 'key'), stack.licenseKey, { mode: 0o600 });
  const port = await freePort();
  const box = ['--dir', join(folder, 'box')];
  const installed = await carton(
    folder,
    'install',
    ...box,
    '--key-file',
    join(folder, 'key'),
    '--control-plane',
    stack.controlPlaneUrl,
    '--port',
    String(port),
  );
  check(installed.code === 0, `install succeeds${installed.code === 0 ? '' : `: ${installed.output}`}`);
  const health = await fetch(`http://127.0.0.1:${port}/health`);
  check(health.status === 200, '/health of the box is 200');
  check((await carton(folder, 'status', ...box)).code === 0, 'status reports that it runs and is healthy');
  check((await carton(folder, 'stop', ...box)).code === 0, 'stop stops it');
  check((await carton(folder, 'start', ...box)).code === 0, 'start starts it again');
  await smokeNative({ home: join(folder, 'box'), url: `http://127.0.0.1:${port}`, check });
  check((await carton(folder, 'stop', ...box)).code === 0, 'stop stops it again');
  check(processesWith(folder).length === 0, 'no process of it is left');
}

let failed = 0;
try {
  await smoke();
} catch (error) {
  failed = 1;
  console.error((error as Error).message);
}
for (const cleanup of cleanups) await cleanup();
console.log(`${checks - failed} passed, ${failed} failed`);
process.exit(failed);

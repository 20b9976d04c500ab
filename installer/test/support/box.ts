/**
 * A folder for a box and the command to work on it, for tests: everything is stopped and removed when the test ends.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdir, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@carton/runtime/testing';
import type { Test } from 'tap';
import { type BoxFolder, boxFolder } from '../../box/folder.ts';
import { findRunningBox } from '../../box/running.ts';
import { variable } from '../../vendor.ts';
import type { TestVendor } from './vendor.ts';

/** Commands are run by the hundred: what Node compiled for one serves the next. */
const compileCache = join(tmpdir(), 'installer-test-compile-cache');
const cli = fileURLToPath(new URL('../../cli.ts', import.meta.url));

/** How one command went. `events` are the lines of its standard output that are JSON. */
export interface Outcome {
  exitCode: number | null;
  stdout: string;
  stderr: string;
  events: Event[];
  /** The last event. */
  end: Event;
}

/** A line of `--json`, with the members that tests read. */
export interface Event {
  event?: string;
  exitCode?: number;
  source?: 'pulled' | 'reused';
  result?: { release: string; pid: number; packages: Record<string, string>; changed: boolean };
  error?: { code: string; message: string; advice: string };
}

/** What a test's engine answers. */
export interface Answer {
  version: string;
  environment: Record<string, string>;
  arguments: string[];
}

export interface Running {
  child: ChildProcess;
  ended: Promise<Outcome>;
  /** Settles when the command has written this text to its standard output. */
  said(words: string): Promise<void>;
}

export interface TestBox {
  folder: BoxFolder;
  dir: string;
  port: number;
  url: string;
  /** Runs a command to its end, with the licence key in the environment. */
  run(words: string[], environment?: NodeJS.ProcessEnv): Promise<Outcome>;
  /** The same without waiting. */
  begin(words: string[], environment?: NodeJS.ProcessEnv): Running;
  /** `install --json` with this box's port and the vendor's control plane. */
  install(words?: string[], environment?: NodeJS.ProcessEnv): Promise<Outcome>;
  beginInstall(words?: string[], environment?: NodeJS.ProcessEnv): Running;
  /** What the box answers, or undefined when it does not. */
  ask(): Promise<Answer | undefined>;
}

export const key = 'ctn_basic_test';

/** @param parent where the folder is made; the system's temporary folder unless given */
export async function makeBox(t: Test, vendor: TestVendor | undefined, parent = tmpdir()): Promise<TestBox> {
  const above = await temporaryFolder('box-test-', parent);
  const folder = boxFolder(join(above, 'box'));
  const port = await freePort();
  const nobody = `http://127.0.0.1:${await freePort()}`;
  const url = `http://127.0.0.1:${port}`;
  const children: ChildProcess[] = [];
  t.teardown(async () => {
    for (const child of children) child.kill('SIGKILL');
    for (let box = await findRunningBox(folder); box; box = await findRunningBox(folder))
      process.kill(box.pid, 'SIGKILL');
    await rm(above, { recursive: true, force: true });
  });

  const begin = (words: string[], environment: NodeJS.ProcessEnv = {}): Running => {
    const child = spawn(process.execPath, [cli, ...words], {
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: compileCache,
        HOME: above,
        [variable('BOX_DIR')]: folder.root,
        [variable('LICENSE_KEY')]: key,
        ...environment,
      },
    });
    children.push(child);
    let stdout = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk;
    });
    return { child, ended: end(child), said: (words) => until(() => stdout.includes(words)) };
  };
  const installArguments = (words: string[]) => [
    'install',
    '--json',
    '--port',
    String(port),
    '--control-plane',
    vendor?.controlPlaneUrl ?? nobody,
    ...words,
  ];
  return {
    folder,
    dir: folder.root,
    port,
    url,
    begin,
    run: (words, environment) => begin(words, environment).ended,
    install: (words = [], environment) => begin(installArguments(words), environment).ended,
    beginInstall: (words = [], environment) => begin(installArguments(words), environment),
    ask: () =>
      fetch(`${url}/health`).then(
        (answer) => answer.json() as Promise<Answer>,
        () => undefined,
      ),
  };
}

async function end(child: ChildProcess): Promise<Outcome> {
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout as Readable), text(child.stderr as Readable)]);
  const events = stdout
    .split('\n')
    .filter((line) => line.startsWith('{"event"'))
    .map((line) => JSON.parse(line));
  return { exitCode: await exit, stdout, stderr, events, end: events.at(-1) ?? {} };
}

/** A port nothing listens on at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Waits until something is so; a test that waits in vain is ended by tap's own time limit. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Names in a folder; empty when there is none. */
export function list(path: string): Promise<string[]> {
  return readdir(path).then(
    (names) => names.sort(),
    () => [],
  );
}

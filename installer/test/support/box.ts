/**
 * A box's folder and the `carton` command, for tests. Everything is stopped and removed when the test ends.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { freePort, temporaryFolder } from '@carton/runtime/testing';
import type { Test } from 'tap';
import { type BoxFolder, boxFolder } from '../../box/folder.ts';
import { findRunningBox } from '../../box/running.ts';
import { variable } from '../../vendor.ts';
import { compileCache } from './bundle.ts';
import { commandFile } from './command.ts';
import { checkDocumented } from './documented.ts';
import type { TestVendor } from './vendor.ts';

/** The outcome of a command. `events` are the JSON lines of its standard output. */
export interface Outcome {
  exitCode: number | null;
  stdout: string;
  stderr: string;
  events: Event[];
  /** The last event. */
  end: Event;
}

/** An event of `--json`, with the members that tests read. */
export interface Event {
  event?: string;
  exitCode?: number;
  source?: 'pulled' | 'reused';
  risk?: string;
  result?: { release: string; pid: number; packages: Record<string, string>; changed: boolean };
  error?: { code: string; message: string; advice: string };
}

/** The response body of a test engine. */
export interface Answer {
  version: string;
  environment: Record<string, string>;
  arguments: string[];
}

export interface Running {
  child: ChildProcess;
  ended: Promise<Outcome>;
  /** Resolves when the command has written this text to its standard output. */
  printed(text: string): Promise<void>;
}

export interface TestBox {
  folder: BoxFolder;
  dir: string;
  port: number;
  url: string;
  /** Runs a command and waits for its end, with the licence key in the environment. */
  run(commandLine: string[], environment?: NodeJS.ProcessEnv): Promise<Outcome>;
  /** Runs a command whose reader takes one line and closes the pipe; the exit code is that of the command. */
  runForOneLine(commandLine: string[]): Promise<Outcome>;
  /** Starts a command like `run`, without waiting. */
  begin(commandLine: string[], environment?: NodeJS.ProcessEnv): Running;
  /** Runs `install --json` with this box's port and the vendor's control plane. */
  install(options?: string[], environment?: NodeJS.ProcessEnv): Promise<Outcome>;
  beginInstall(options?: string[], environment?: NodeJS.ProcessEnv): Running;
  /** Runs an install as another program does that gets the command line as its last words. */
  installBy(shell: string[], options?: string[]): Promise<Outcome>;
  /** Requests the box; undefined without a response. */
  ask(): Promise<Answer | undefined>;
}

export const key = 'ctn_basic_test';

const oneLineShell = ['bash', '-c', 'set -o pipefail; "$@" | head -n 1', 'bash'];

/** @param parent where the folder is created; the system's temporary folder by default */
export async function makeBox(t: Test, vendor: TestVendor | undefined, parent = tmpdir()): Promise<TestBox> {
  const home = await temporaryFolder('box-test-', parent);
  const folder = boxFolder(join(home, 'box'));
  const port = await freePort();
  const unusedUrl = `http://127.0.0.1:${await freePort()}`;
  const url = `http://127.0.0.1:${port}`;
  const children: ChildProcess[] = [];
  t.teardown(async () => {
    for (const child of children) child.kill('SIGKILL');
    for (let box = await findRunningBox(folder); box; box = await findRunningBox(folder)) {
      // Its supervisor would start it again.
      if (box.supervised && box.parent) kill(box.parent.pid);
      kill(box.pid);
    }
    // A killed box leaves its database, which still writes.
    const postmaster = await readFile(join(folder.data, 'postgresql/data/postmaster.pid'), 'utf8').catch(() => '');
    if (Number.parseInt(postmaster, 10) > 0) kill(Number.parseInt(postmaster, 10), 'SIGQUIT');
    await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });

  const begin = (commandLine: string[], environment: NodeJS.ProcessEnv = {}, shell: string[] = []): Running => {
    const [program, ...words] = [...shell, process.execPath, commandFile, ...commandLine] as [string, ...string[]];
    const child = spawn(program, words, {
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: compileCache,
        HOME: home,
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
    return {
      child,
      ended: end(child, shell.length === 0 ? commandLine : []),
      printed: (text) => until(() => stdout.includes(text)),
    };
  };
  const installArguments = (options: string[]) => [
    'install',
    '--json',
    '--port',
    String(port),
    '--control-plane',
    vendor?.controlPlaneUrl ?? unusedUrl,
    ...options,
  ];
  return {
    folder,
    dir: folder.root,
    port,
    url,
    begin,
    run: (commandLine, environment) => begin(commandLine, environment).ended,
    runForOneLine: (commandLine) => begin(commandLine, {}, oneLineShell).ended,
    install: (options = [], environment) => begin(installArguments(options), environment).ended,
    beginInstall: (options = [], environment) => begin(installArguments(options), environment),
    installBy: (shell, options = []) => begin(installArguments(options), {}, shell).ended,
    ask: () =>
      fetch(`${url}/health`).then(
        (response) => response.json() as Promise<Answer>,
        () => undefined,
      ),
  };
}

/** Kills a process that may have exited. */
function kill(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function end(child: ChildProcess, commandLine: readonly string[]): Promise<Outcome> {
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout as Readable), text(child.stderr as Readable)]);
  const events = stdout
    .split('\n')
    .filter((line) => line.startsWith('{"event"'))
    .map((line) => JSON.parse(line) as Event)
    .filter(({ risk }) => risk !== 'root'); // tests are the same for every user
  const exitCode = await exit;
  checkDocumented(commandLine, stdout, exitCode);
  return { exitCode, stdout, stderr, events, end: events.at(-1) ?? {} };
}

/** Waits until a condition holds; tap's timeout ends a test whose condition never does. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Returns the sorted names in a folder; none if it does not exist. */
export function list(path: string): Promise<string[]> {
  return readdir(path).then(
    (names) => names.sort(),
    () => [],
  );
}

/**
 * The server of a run of tests that nobody has given one, as `npx tap` does: the first test that needs a database starts
 * it, all files of the run share it, and it ends with the run. It belongs to a process of its own
 * (shared-server-process.ts), since the process of a test file ends before the run.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, lstatSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('shared-server-process.ts', import.meta.url));

/** Milliseconds in which the server must be ready. */
const timeout = 180_000;

/** What the process of the server leaves in its folder once the server is ready, or has failed to start. */
export interface SharedServer {
  /** Variables for tests. */
  environment?: { TEST_DATABASE_URL: string; TEST_TEMPLATE: string };
  error?: string;
}

export const answerFile = 'server.json';

/** When a process has started, in ticks since the start of the system: a later process may have its id. */
export function startOf(pid: number): string | null {
  try {
    return (
      readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')[19] ?? null
    );
  } catch {
    return null;
  }
}

/** Blocks this process: `administrationUrl` is not asynchronous. */
function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** Starts the process of the server, unless another file of the run has created the folder. */
function startOnce(folder: string, owner: number): void {
  try {
    // An embedded PostgreSQL that root starts in it runs as another user, who must be able to enter.
    mkdirSync(folder, { mode: 0o711 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const found = lstatSync(folder);
    if (found.isDirectory() && found.uid === process.getuid?.()) return;
    throw new Error(`${folder} belongs to another user: remove it`);
  }
  spawnServer(folder, owner).unref();
}

/** Starts the process of the server, which ends with its owner and removes the folder. */
function spawnServer(folder: string, owner: number): ChildProcess {
  const environment = Object.entries(process.env).filter(([name]) => !/^(TAP|_TAPJS_|NODE_)/.test(name));
  const log = openSync(join(folder, 'log'), 'a');
  const words = ['--conditions=workspace-source', program, folder, String(owner), startOf(owner) ?? ''];
  const child = spawn(process.execPath, words, {
    detached: true,
    stdio: ['ignore', log, log],
    env: Object.fromEntries(environment),
  });
  closeSync(log);
  return child;
}

/** A server of this process, which is stopped also if this process is killed. */
export interface OwnServer {
  environment: NonNullable<SharedServer['environment']>;
  /** Stops it, and removes its folder. */
  stop(): Promise<void>;
}

/** Starts a server with its template in a folder. @throws Error if it does not start; the folder is removed then too */
export async function startOwnServer(folder: string): Promise<OwnServer> {
  const child = spawnServer(folder, process.pid);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()).once('error', () => resolve()));
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
  };
  try {
    for (const started = Date.now(); Date.now() - started < timeout && isAlive(child); await sleep(50)) {
      const answer = readAnswer(folder);
      if (answer?.error) throw new Error(`PostgreSQL cannot be started: ${answer.error}`);
      if (answer?.environment) return { environment: answer.environment, stop };
    }
    throw new Error(`PostgreSQL has not become ready:\n${readFileSync(join(folder, 'log'), 'utf8')}`);
  } catch (error) {
    await stop();
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

const isAlive = (child: ChildProcess) => child.exitCode === null && child.signalCode === null;

/**
 * Starts the server, or waits for it, and sets TEST_DATABASE_URL and TEST_TEMPLATE. Without a run, as when Node runs one
 * test file, it ends with this process.
 */
export function useSharedServer(): void {
  const owner = process.env.TAP_CHILD_ID === undefined ? process.pid : process.ppid;
  const folder = join(tmpdir(), `carton-tests-${owner}-${startOf(owner)}`);
  startOnce(folder, owner);
  for (const started = Date.now(); Date.now() - started < timeout; pause(50)) {
    const answer = readAnswer(folder);
    if (answer?.error) throw new Error(`PostgreSQL cannot be started for this run of tests: ${answer.error}`);
    if (answer?.environment) return void Object.assign(process.env, answer.environment);
  }
  throw new Error(`PostgreSQL has not become ready for this run of tests: see ${join(folder, 'log')}`);
}

function readAnswer(folder: string): SharedServer | null {
  try {
    return JSON.parse(readFileSync(join(folder, answerFile), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

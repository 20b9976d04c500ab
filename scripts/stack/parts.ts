/**
 * The processes of the local stack: starts them, waits until they are ready, restarts them after a crash, stops them.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stackVariable } from './orphaned-parts.ts';

export interface PartDescription {
  name: string;
  /** Arguments of this Node. */
  program: readonly string[];
  environment: Record<string, string>;
  /** Responds with 200 once the part serves. */
  readyUrl: string;
}

export interface Part {
  readonly name: string;
  /** Resolves once the part serves. @throws Error with the last lines of its log if it exits before */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

const startTimeout = 120_000;
const stopTimeout = 30_000;
const maxPause = 30_000;

/** Starts a part and restarts it when it dies, until it is stopped. Reports restarts to `say`. */
export function startPart(description: PartDescription, home: string, say: (line: string) => void): Part {
  const { name, program, environment, readyUrl } = description;
  const logFile = join(home, 'logs', `${name}.log`);
  mkdirSync(join(home, 'logs'), { recursive: true });
  let stopping = false;
  let everReady = false;
  let child = launch();

  function launch(): ChildProcess {
    const log = openSync(logFile, 'a', 0o600);
    // A process group of its own: Ctrl-C reaches only this process, which stops the parts in order.
    const started = spawn(process.execPath, program, {
      env: { ...process.env, ...environment, [stackVariable]: home },
      stdio: ['ignore', log, log],
      detached: true,
    });
    closeSync(log);
    const startedAt = Date.now();
    started.once('exit', (code, signal) => {
      if (!stopping && everReady) void restart(startedAt, signal ?? `code ${code}`);
    });
    return started;
  }

  let pause = 1000;
  async function restart(startedAt: number, how: string): Promise<void> {
    // After a long run the back-off starts over.
    pause = Date.now() - startedAt > 60_000 ? 1000 : Math.min(pause * 2, maxPause);
    say(`${name} exited (${how}); restarting it in ${Math.round(pause / 1000)} s (${logFile})`);
    await sleep(pause);
    if (stopping) return;
    child = launch();
    await untilReady().then(
      () => say(`${name} is ready again`),
      (error: Error) => say(error.message),
    );
  }

  async function untilReady(): Promise<void> {
    const waited = child;
    const until = Date.now() + startTimeout;
    while (Date.now() < until && !stopping) {
      if (waited.exitCode !== null || waited.signalCode !== null)
        throw new Error(`${name} exited: ${lastLines(logFile)}`);
      if (await isReady(readyUrl)) {
        everReady = true;
        return;
      }
      await sleep(100);
    }
    if (!stopping)
      throw new Error(`${name} does not respond at ${readyUrl} after ${startTimeout / 1000} s: see ${logFile}`);
  }

  return {
    name,
    ready: untilReady,
    async stop() {
      stopping = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      child.kill('SIGTERM');
      const kill = setTimeout(() => child.kill('SIGKILL'), stopTimeout);
      await ended;
      clearTimeout(kill);
    },
  };
}

async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

function lastLines(file: string): string {
  return readFileSync(file, 'utf8').trim().split('\n').slice(-3).join(' | ');
}

/** @throws Error that names a port in use */
export async function rejectPortsInUse(ports: Record<string, number>): Promise<void> {
  for (const [setting, port] of Object.entries(ports)) {
    await new Promise<void>((resolve, reject) => {
      const probe = createServer();
      probe.once('error', (error: NodeJS.ErrnoException) =>
        reject(
          error.code === 'EADDRINUSE'
            ? new Error(`port ${port} is in use: stop what listens there, or set ${setting}`)
            : error,
        ),
      );
      probe.listen(port, '127.0.0.1', () => probe.close(() => resolve()));
    });
  }
}

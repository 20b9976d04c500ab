/**
 * The processes of the local stack: each is started, waited for, started again when it dies, and stopped.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stackVariable } from './strays.ts';

export interface PartDescription {
  name: string;
  /** Arguments of this Node. */
  program: readonly string[];
  environment: Record<string, string>;
  /** Answers 200 once the part serves. */
  readyUrl: string;
}

export interface Part {
  readonly name: string;
  /** Resolves once the part answers. @throws Error with the last lines of its log when it ends before that */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

const longestStart = 120_000;
const longestStop = 30_000;
const longestPause = 30_000;

/** Starts a part and keeps it running until it is stopped; `say` is told when it had to be started again. */
export function startPart(description: PartDescription, home: string, say: (line: string) => void): Part {
  const { name, program, environment, readyUrl } = description;
  const logFile = join(home, 'logs', `${name}.log`);
  mkdirSync(join(home, 'logs'), { recursive: true });
  let stopping = false;
  let everReady = false;
  let child = launch();

  function launch(): ChildProcess {
    const log = openSync(logFile, 'a', 0o600);
    // A group of its own: Ctrl-C reaches this process alone, which stops the parts in their order.
    const started = spawn(process.execPath, program, {
      env: { ...process.env, ...environment, [stackVariable]: home },
      stdio: ['ignore', log, log],
      detached: true,
    });
    closeSync(log);
    const begun = Date.now();
    started.once('exit', (code, signal) => {
      if (!stopping && everReady) void again(begun, signal ?? `code ${code}`);
    });
    return started;
  }

  let pause = 1000;
  async function again(begun: number, how: string): Promise<void> {
    // One that ran for long begins with a short pause again.
    pause = Date.now() - begun > 60_000 ? 1000 : Math.min(pause * 2, longestPause);
    say(`${name} ended (${how}); it is started again in ${Math.round(pause / 1000)} s (${logFile})`);
    await sleep(pause);
    if (stopping) return;
    child = launch();
    await untilReady().then(
      () => say(`${name} answers again`),
      (error: Error) => say(error.message),
    );
  }

  async function untilReady(): Promise<void> {
    const waited = child;
    const until = Date.now() + longestStart;
    while (Date.now() < until && !stopping) {
      if (waited.exitCode !== null || waited.signalCode !== null)
        throw new Error(`${name} ended: ${lastLines(logFile)}`);
      if (await answers(readyUrl)) {
        everReady = true;
        return;
      }
      await sleep(100);
    }
    if (!stopping)
      throw new Error(`${name} does not answer at ${readyUrl} after ${longestStart / 1000} s: see ${logFile}`);
  }

  return {
    name,
    ready: untilReady,
    async stop() {
      stopping = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      child.kill('SIGTERM');
      const kill = setTimeout(() => child.kill('SIGKILL'), longestStop);
      await ended;
      clearTimeout(kill);
    },
  };
}

async function answers(url: string): Promise<boolean> {
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

/** @throws Error naming the port that something else listens on */
export async function refuseTakenPorts(ports: Record<string, number>): Promise<void> {
  for (const [setting, port] of Object.entries(ports)) {
    await new Promise<void>((resolve, reject) => {
      const probe = createServer();
      probe.once('error', (error: NodeJS.ErrnoException) =>
        reject(
          error.code === 'EADDRINUSE'
            ? new Error(`port ${port} is taken: stop what listens there or set ${setting}`)
            : error,
        ),
      );
      probe.listen(port, '127.0.0.1', () => probe.close(() => resolve()));
    });
  }
}

/**
 * Processes of the stack: a command that must succeed, and a service that runs until it is stopped. Their environment is
 * what is passed here and nothing else, so that nothing of this machine's helps them.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Command {
  /** What it does, for messages. */
  name: string;
  program: string;
  parameters: readonly string[];
  folder: string;
  environment: Readonly<Record<string, string>>;
  /** The file with its output. */
  log: string;
  /** Called when it exits. */
  exited?: () => void;
}

/** Runs a command to its end. @throws Error with the end of its output if it fails */
export async function runCommand(command: Command): Promise<void> {
  const { name, program, parameters, folder, environment, log, exited } = command;
  await mkdir(dirname(log), { recursive: true });
  const child = spawn(program, parameters, { cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  if (exited) child.once('exit', exited);
  const output = createWriteStream(log);
  child.stderr.pipe(output, { end: false });
  await Promise.all([pipeline(child.stdout, output, { end: false }), once(child, 'close')]);
  output.end();
  await once(output, 'close');
  if (child.exitCode !== 0) throw new Error(`${name} failed (${child.exitCode}): ${await endOf(log)}`);
}

export interface Service extends Command {
  /** An address that responds, with anything below 500, as soon as the service serves. */
  ready: string;
}

export interface RunningService {
  name: string;
  /** Whether it still runs. */
  isRunning(): boolean;
  stop(): Promise<void>;
}

const startTimeout = 120_000;
const stopTimeout = 30_000;

/** Starts a service and waits until it serves. @throws Error with the end of its log if it does not */
export async function startService(service: Service): Promise<RunningService> {
  const { name, program, parameters, folder, environment, log, ready } = service;
  await mkdir(dirname(log), { recursive: true });
  const output = await open(log, 'a');
  const stdio = ['ignore', output.fd, output.fd] as const;
  const child = spawn(program, parameters, { cwd: folder, env: environment, stdio: [...stdio] });
  const exited = once(child, 'exit');
  await output.close();
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const running: RunningService = {
    name,
    isRunning,
    async stop() {
      if (!isRunning()) return;
      child.kill('SIGTERM');
      const kill = setTimeout(() => child.kill('SIGKILL'), stopTimeout);
      await exited;
      clearTimeout(kill);
    },
  };
  const until = performance.now() + startTimeout;
  while (!(await responds(ready))) {
    if (!isRunning()) throw new Error(`${name} exited: ${await endOf(log)}`);
    if (performance.now() > until) {
      await running.stop();
      throw new Error(`${name} does not respond at ${ready}: ${await endOf(log)}`);
    }
    await sleep(100);
  }
  return running;
}

async function responds(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5000) });
    await response.arrayBuffer();
    return response.status < 500;
  } catch {
    return false;
  }
}

async function endOf(log: string): Promise<string> {
  const text = await readFile(log, 'utf8').catch(() => '');
  return `${text.trim().split('\n').slice(-15).join('\n')}\n(${log})`;
}

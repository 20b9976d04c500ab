/**
 * A box with several workers, started as its supervisor starts them (installer/supervisor/followers.ts).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import net from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { homeOfBox } from '../../testing/box-home.ts';
import { temporaryFolder } from '../../testing/folders.ts';
import { packageName } from '../../vendor.ts';

const main = fileURLToPath(new URL('../../main.ts', import.meta.url));

export interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface WorkerProcess {
  child: ChildProcess;
  ended: Promise<unknown[]>;
  output(): string;
  /** Sends a request to this worker, at its private path. */
  send(path: string, options?: RequestOptions, body?: object): Promise<Answer>;
}

export interface WorkerBox {
  home: string;
  /** Path of the socket on which the leader listens for the others. */
  path: string;
  /** Starts the process of a worker. @param number from 1, the leader */
  launch(number: number): WorkerProcess;
  /** Starts a worker and has it serve. */
  start(number: number): Promise<WorkerProcess>;
}

/** Prepares a box with a number of workers. */
export async function prepareWorkers(
  t: Test,
  count: number,
  settings: Record<string, string>,
  packages = ['core', 'auth', 'tenant'],
): Promise<WorkerBox> {
  const home = await homeOfBox(t, 'workers-');
  const lockFile = join(home, 'lock.json');
  const entries = packages.map((each) => [packageName(each), {}]);
  writeFileSync(lockFile, JSON.stringify({ tier: 'basic', packages: Object.fromEntries(entries) }));
  // The path of a socket is short.
  const sockets = await temporaryFolder('workers-');
  t.teardown(() => rm(sockets, { recursive: true, force: true }));
  const path = join(sockets, 'workers.sock');
  const fd = bindSocket(t);
  const box: WorkerBox = {
    home,
    path,
    launch(number) {
      const socketPath = join(sockets, `${Math.random()}.sock`);
      const child = spawn(process.execPath, ['--conditions=workspace-source', main], {
        cwd: home,
        env: {
          PATH: process.env.PATH,
          NODE_V8_COVERAGE: process.env.NODE_V8_COVERAGE,
          BOX_HOME: home,
          BOX_PACKAGES: lockFile,
          SUPERVISOR_PRIVATE_PATH: socketPath,
          SUPERVISOR_WORKER: `${number}/${count}`,
          SUPERVISOR_WORKERS_PATH: path,
          ...settings,
        },
        stdio: ['ignore', 'pipe', 'pipe', fd, 'ipc'],
      });
      const ended = once(child, 'exit');
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
      t.teardown(async () => {
        child.kill('SIGKILL');
        await ended;
      });
      return {
        child,
        ended,
        output: () => output,
        send: (path, options, body) => send({ socketPath, path, ...options }, body),
      };
    },
    async start(number) {
      const worker = box.launch(number);
      const { child, output } = worker;
      while ((await worker.send('/health').catch(() => undefined))?.status !== 200) {
        if (child.exitCode !== null) throw new Error(output());
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      child.send('serve');
      await once(child, 'message');
      return worker;
    },
  };
  return box;
}

/** A socket that is bound and does not accept, as the installer's. */
function bindSocket(t: Test): number {
  const { _createServerHandle: bind } = net as unknown as {
    _createServerHandle(host: string, port: number, family: 4): { fd: number; close(): void };
  };
  const handle = bind('127.0.0.1', 0, 4);
  t.teardown(() => handle.close());
  return handle.fd;
}

function send(options: RequestOptions, body?: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { ...options.headers, ...(body && { 'content-type': 'application/json' }) };
    const sent = request({ ...options, headers }, async (response) => {
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: await text(response) });
    });
    sent.once('error', reject);
    sent.end(body && JSON.stringify(body));
  });
}

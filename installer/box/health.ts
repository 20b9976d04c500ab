/**
 * Waiting for a box to answer, and saying why it does not.
 */

import { open } from 'node:fs/promises';
import { get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Failure, interrupted } from '../failure.ts';
import type { Output } from '../output/output.ts';
import type { BoxFolder } from './folder.ts';
import { isAlive } from './process-table.ts';
import type { RunningBox } from './running.ts';

const pollMilliseconds = 150;
const timeoutMilliseconds = 2000;
const lastLines = 15;

/** The address people and programs on this machine reach a box at, such as `http://127.0.0.1:3001`. */
export function boxUrl({ host, port }: { host: string; port: number }): string {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host);
  return `http://${reachable}:${port}`;
}

/** The status with which `GET /health` answers, or undefined when nothing answers within two seconds. */
export function fetchHealthStatus(url: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const request = get(`${url}/health`, { agent: false, timeout: timeoutMilliseconds }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(undefined));
  });
}

/**
 * Waits until a box answers 200.
 * @param options.seconds how long at most
 * @param options.logStart where its own lines begin in the log; absent when its output is not logged
 * @throws Failure box_not_healthy when its process ends or the time is over, port_taken when that is why; interrupted
 */
export async function waitUntilHealthy(
  folder: BoxFolder,
  box: RunningBox,
  url: string,
  output: Output,
  options: { seconds: number; logStart?: number; signal?: AbortSignal },
): Promise<void> {
  const began = Date.now();
  for (;;) {
    if (options.signal?.aborted) throw interrupted();
    if ((await fetchHealthStatus(url)) === 200 && (await isAlive(box))) return;
    const seconds = (Date.now() - began) / 1000;
    if (!(await isAlive(box))) throw await explain(folder, 'the box ended while it was starting', options.logStart);
    if (seconds > options.seconds) {
      throw await explain(folder, `the box did not answer ${url}/health within ${options.seconds} s`, options.logStart);
    }
    output.waiting('waiting for the box to answer (migrations run first)', seconds);
    await pause(pollMilliseconds);
  }
}

/** The failure with the box's own last words, which is where the reason stands. */
async function explain(folder: BoxFolder, what: string, logStart: number | undefined): Promise<Failure> {
  if (logStart === undefined) return new Failure('box_not_healthy', what, 'What it printed says why');
  const lines = (await readFrom(folder.log, logStart)).trimEnd().split('\n').slice(-lastLines);
  const lastLine = lines.at(-1)?.trim() || 'it said nothing';
  const facts = { log: folder.log, lastLines: lines };
  // Earlier releases print "is taken".
  if (lines.some((line) => /EADDRINUSE|port \d+ is (already in use|taken)/.test(line))) {
    return new Failure(
      'port_taken',
      lastLine,
      'Stop what listens there, or choose another port with install --port',
      facts,
    );
  }
  return new Failure('box_not_healthy', `${what}; its last line: ${lastLine}`, `Its whole log is ${folder.log}`, facts);
}

async function readFrom(path: string, start: number): Promise<string> {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    // Only the end matters, and a box that logged a lot before it ended must not fill the memory.
    const from = Math.max(start, size - 64 * 1024);
    const buffer = Buffer.alloc(Math.max(size - from, 0));
    await handle.read(buffer, 0, buffer.length, from);
    return buffer.toString('utf8');
  } finally {
    await handle.close();
  }
}

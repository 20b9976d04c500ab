/**
 * Waiting until a box is healthy, and explaining why it is not.
 */

import { open } from 'node:fs/promises';
import { get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Failure, interrupted } from '../failure.ts';
import type { Output } from '../output/output.ts';
import type { BoxFolder } from './folder.ts';
import { isAlive } from './process-table.ts';
import type { RunningBox } from './running.ts';
import { explainStart } from './start-failure.ts';

const pollMilliseconds = 150;
/** How long a response of `/health` may take. */
export const probeSeconds = 2;
const maxLogLines = 15;

/** Returns the URL at which a box is reachable from this machine, such as `http://127.0.0.1:3001`. */
export function boxUrl({ host, port }: { host: string; port: number }): string {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host);
  return `http://${reachable}:${port}`;
}

/** Returns the status of `GET /health`, or undefined without a response within two seconds. */
export async function fetchHealthStatus(url: string): Promise<number | undefined> {
  const answer = await probe(url);
  return typeof answer === 'number' ? answer : undefined;
}

/**
 * Returns the status of `GET /health`; `silent` if the process accepts connections and does not respond within two
 * seconds, `refused` if it does not accept them or closes them.
 */
export function probe(url: string): Promise<number | 'silent' | 'refused'> {
  return new Promise((resolve) => {
    const request = get(`${url}/health`, { agent: false, timeout: probeSeconds * 1000 }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('timeout', () => {
      resolve('silent');
      request.destroy();
    });
    request.on('error', () => resolve('refused'));
  });
}

/**
 * Waits until `/health` responds with 200.
 * @param options.seconds the timeout
 * @param options.logStart offset of its output in the log, in bytes; absent if its output is not logged
 * @throws Failure box_not_healthy when its process exits or the timeout passes; port_taken or disk_full if that is the
 * cause; interrupted
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
    if (!(await isAlive(box))) throw await explain(folder, 'the box exited during its start', options.logStart);
    if (seconds > options.seconds) {
      const message = `the box did not become healthy within ${options.seconds} s (${url}/health)`;
      throw await explain(folder, message, options.logStart);
    }
    output.waiting('waiting for the box to become healthy (migrations run first)', seconds);
    await pause(pollMilliseconds);
  }
}

/** Returns the failure with the last lines of the log, which usually contain the cause. */
async function explain(folder: BoxFolder, message: string, logStart: number | undefined): Promise<Failure> {
  if (logStart === undefined) return new Failure('box_not_healthy', message, 'See its output for the cause');
  const text = await readFrom(folder.log, logStart);
  const lastLines = text.trimEnd().split('\n').slice(-maxLogLines);
  return explainStart(folder, message, text, { log: folder.log, lastLines });
}

async function readFrom(path: string, start: number): Promise<string> {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    // A long log must not fill the memory, and only its end is used.
    const from = Math.max(start, size - 64 * 1024);
    const buffer = Buffer.alloc(Math.max(size - from, 0));
    await handle.read(buffer, 0, buffer.length, from);
    return buffer.toString('utf8');
  } finally {
    await handle.close();
  }
}

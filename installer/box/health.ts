/**
 * Waiting until a box is healthy, and explaining why it is not.
 */

import { open } from 'node:fs/promises';
import { get, type RequestOptions } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Failure, interrupted } from '../failure.ts';
import type { Output } from '../output/output.ts';
import type { BoxFolder } from './folder.ts';
import { isAlive } from './process-table.ts';
import type { RunningBox } from './running.ts';
import { reachable } from './socket-path.ts';
import { explainStart } from './start-failure.ts';

const pollMilliseconds = 50;
/** How long a response of `/health` may take. */
export const probeSeconds = 2;
const maxLogLines = 15;

/** Returns the URL at which a box is reachable from this machine, such as `http://127.0.0.1:3001`. */
export function boxUrl({ host, port }: { host: string; port: number }): string {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host);
  return `http://${reachable}:${port}`;
}

/** Returns the URL of a Unix socket for the functions of this file and the smoke check. */
export function privateUrl(path: string): string {
  return `unix:${path}`;
}

/** Returns the options of a request of `node:http` to the URL of a box. */
export function requestTo(url: string, path: string): RequestOptions {
  if (url.startsWith('unix:')) return { socketPath: reachable(url.slice('unix:'.length)), path, agent: false };
  const { hostname, port } = new URL(url);
  return { hostname: hostname.replace(/^\[|\]$/g, ''), port, path, agent: false };
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
    const request = get({ ...requestTo(url, '/health'), timeout: probeSeconds * 1000 }, (response) => {
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
 * @param options.besides process id of the box that it is to replace, which writes to the same log
 * @throws Failure box_not_healthy when its process exits or the timeout passes; port_taken or disk_full if that is the
 * cause; interrupted
 */
export async function waitUntilHealthy(
  folder: BoxFolder,
  box: Pick<RunningBox, 'pid' | 'identity'> & { release?: string },
  url: string,
  output: Output,
  { seconds: patience, signal, ...place }: { seconds: number; signal?: AbortSignal } & LogPlace,
): Promise<void> {
  const began = Date.now();
  const options = { ...place, release: box.release };
  for (;;) {
    if (signal?.aborted) throw interrupted();
    if ((await fetchHealthStatus(url)) === 200 && (await isAlive(box))) return;
    const seconds = (Date.now() - began) / 1000;
    if (!(await isAlive(box))) throw await explainExit(folder, options);
    if (seconds > patience) {
      const message = `the box did not become healthy within ${patience} s (${url}/health)`;
      throw await explain(folder, message, options);
    }
    output.waiting('waiting for the box to become healthy (migrations run first)', seconds);
    await pause(pollMilliseconds);
  }
}

/** Which part of the log has the output of a box. */
interface LogPlace {
  logStart?: number;
  besides?: number;
}

/** Returns the failure of a box that has exited during its start. @param place.release absent if the box is the last one */
export function explainExit(folder: BoxFolder, place: LogPlace & { release: string | undefined }): Promise<Failure> {
  return explain(folder, 'the box exited during its start', place);
}

/** Returns the failure with the last lines of the log, which usually contain the cause. */
async function explain(
  folder: BoxFolder,
  message: string,
  { logStart, besides, release }: LogPlace & { release: string | undefined },
): Promise<Failure> {
  if (logStart === undefined) return new Failure('box_not_healthy', message, 'See its output for the cause');
  const isOfOther = (line: string) => isOfSupervisor(line) || line.includes(`"pid":${besides},`) || isOfFollower(line);
  const written = (await readFrom(folder.log, logStart)).split('\n');
  const own = release === undefined ? written : outputOf(release, written);
  const lines = own.filter((line) => !isOfOther(line));
  const text = lines.join('\n').trimEnd();
  return explainStart(folder, message, text, { log: folder.log, lastLines: text.split('\n').slice(-maxLogLines) });
}

const replacement = '{"event":"replaced"';

/**
 * Returns the lines of one release. The supervisor tells when it starts a release in place of the one before, which has
 * written until then; after a failed start it may have started the former one again meanwhile.
 */
function outputOf(release: string, lines: readonly string[]): string[] {
  const isReplacement = (line: string) => line.startsWith(replacement);
  const start = lines.findIndex((line) => isReplacement(line) && line.includes(`"release":"${release}"`));
  const end = lines.findIndex((line, at) => at > start && isReplacement(line));
  return lines.slice(start + 1, end === -1 ? undefined : end);
}

/** Whether a line tells of a replacement or a restart, of which the cause is in the lines before. */
function isOfSupervisor(line: string): boolean {
  return line.startsWith(replacement) || /^\{"event":"warning".*restarting it in/.test(line);
}

/** Whether a worker that is not the leader has written a line. They start once the leader is healthy. */
function isOfFollower(line: string): boolean {
  return /"worker":([2-9]|\d\d)/.test(line);
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

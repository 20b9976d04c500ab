/**
 * Visitors of websites: requests with HTTP/1.1 and 2 by Node.js, and with HTTP/3 by a browser.
 */
import { createHash, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import { type ClientHttp2Session, connect } from 'node:http2';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { pathOf } from '@carton/runtime/testing';
import { chromium } from 'playwright-core';
import { percentile, rounded } from '../../tools/load/measurement.ts';
import type { Stage } from '../support/rig.ts';
import type { Layer } from './layer.ts';

export interface Visit {
  status: number;
  text: string;
}

/** Sends a GET request to a path of a host. */
export type Send = (host: string, path: string, headers?: Record<string, string>) => Promise<Visit>;

async function readAll(stream: AsyncIterable<unknown>): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += chunk;
  return text;
}

/** HTTP/1.1 without TLS, for a box alone. */
export function directTo(url: string, clients: number): Send {
  const agent = new HttpAgent({ keepAlive: true, maxSockets: clients });
  return async (host, path, headers = {}) => {
    const outgoing = requestHttp(`${url}${path}`, { agent, headers: { host, ...headers } });
    outgoing.end();
    const [response] = await once(outgoing, 'response');
    return { status: response.statusCode, text: await readAll(response) };
  };
}

/** HTTP/1.1 through the layer. */
export async function overHttp1({ httpsPort, authority }: Layer, clients: number): Promise<Send> {
  const agent = new HttpsAgent({ keepAlive: true, maxSockets: clients, ca: await readFile(authority.root, 'utf8') });
  return async (host, path, headers = {}) => {
    const target = { host: '127.0.0.1', port: httpsPort, servername: host, path, headers: { host, ...headers }, agent };
    const outgoing = requestHttps(target);
    outgoing.end();
    const [response] = await once(outgoing, 'response');
    return { status: response.statusCode, text: await readAll(response) };
  };
}

/** HTTP/2 through the layer, with a connection for each host. */
export async function overHttp2(stage: Stage, { httpsPort, authority }: Layer): Promise<Send> {
  const ca = await readFile(authority.root, 'utf8');
  const sessions = new Map<string, ClientHttp2Session>();
  stage.atEnd('connections with HTTP/2', () => {
    for (const session of sessions.values()) session.destroy();
  });
  return async (host, path, headers = {}) => {
    const session = sessions.get(host) ?? connect(`https://127.0.0.1:${httpsPort}`, { servername: host, ca });
    sessions.set(host, session);
    const stream = session.request({ ':path': path, ':authority': host, ...headers });
    const answered = once(stream, 'response');
    // From the start: the stream of a short response may be closed by the next turn.
    const text = new Promise<string>((resolve, reject) => {
      let read = '';
      stream.setEncoding('utf8');
      stream.on('data', (chunk) => {
        read += chunk;
      });
      stream.once('end', () => resolve(read));
      stream.once('error', reject);
      stream.once('close', () => reject(new Error('the response ended early')));
    });
    stream.end();
    const [[received], all] = await Promise.all([answered, text]);
    return { status: received[':status'], text: all };
  };
}

/** Opens hosts in Chromium, with HTTP/3 only. Returns the protocol, status and text of each. */
export async function openWithHttp3(stage: Stage, { httpsPort, authority }: Layer, hosts: string[], path: string) {
  const { publicKey } = new X509Certificate(await readFile(authority.intermediate));
  const key = createHash('sha256').update(publicKey.export({ type: 'spki', format: 'der' }));
  const browser = await chromium.launch({
    executablePath: pathOf('chromium'),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--enable-quic',
      `--origin-to-force-quic-on=${hosts.map((host) => `${host}:${httpsPort}`).join(',')}`,
      `--ignore-certificate-errors-spki-list=${key.digest('base64')}`,
      '--host-resolver-rules=MAP *.example 127.0.0.1',
    ],
  });
  stage.atEnd('Chromium', () => browser.close());
  const seen: (Visit & { protocol: string })[] = [];
  const page = await browser.newPage();
  for (const host of hosts) {
    const response = await page.goto(`https://${host}:${httpsPort}${path}`);
    const protocol = await page.evaluate<string>("performance.getEntriesByType('navigation')[0].nextHopProtocol");
    seen.push({ protocol, status: response?.status() ?? 0, text: (await response?.text()) ?? '' });
  }
  return seen;
}

/** Sends requests from clients, each one after the other; a host by its turn. */
export async function measure(
  { clients, requests, hosts }: { clients: number; requests: number; hosts: readonly string[] },
  send: (host: string) => Promise<Visit>,
): Promise<{ perSecond: number; p50: number; p95: number; failed: number }> {
  const times: number[] = [];
  let [next, failed] = [0, 0];
  const started = performance.now();
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (let number = next++; number < requests; number = next++) {
        const began = performance.now();
        const host = hosts[number % hosts.length] as string;
        const { status } = await send(host).catch((error) => {
          throw new Error(`request ${number}, of ${host}: ${error.message}`, { cause: error });
        });
        times.push(performance.now() - began);
        if (status !== 200) failed++;
      }
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  const [p50, p95] = [rounded(percentile(times, 50), 1), rounded(percentile(times, 95), 1)];
  return { perSecond: Math.round(requests / seconds), p50, p95, failed };
}

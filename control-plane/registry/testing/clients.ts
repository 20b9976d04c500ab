// Clients of a registry: plain requests, and npm's own client with separate settings.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Registry } from '../index.ts';

export type TestResponse = { status: number; headers: IncomingHttpHeaders; body: string };
export type RequestOptions = { method?: string; headers?: Record<string, string>; body?: string };

/** Sends a request with a bearer credential. The path is sent verbatim, without normalisation or escapes. */
export async function send(
  registry: Registry,
  path: string,
  bearer?: string,
  options: RequestOptions = {},
): Promise<TestResponse> {
  const { hostname, port } = new URL(registry.localUrl);
  const { method = 'GET', body } = options;
  const headers = {
    ...(bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }),
    ...(body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
    ...options.headers,
  };
  const outgoing = request({ hostname, port, path, method, headers, agent: false }).end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: Buffer.concat(chunks).toString('latin1'),
  };
}

/** A registry, as far as its clients know it. */
export type ClientOf = Pick<Registry, 'localUrl'>;

export type NpmRun = { code: number; output: string };

/** Runs npm's own client in `folder` with a new home, settings and an empty cache, and `bearer` as its credential. */
export function npm(registry: ClientOf, folder: string, bearer: string, ...args: string[]): Promise<NpmRun> {
  return runClient(registry, folder, bearer, ['npm', ...args]);
}

/** Runs a client that reads `.npmrc`, as `npm` above. `environment` is added to its own. */
export async function runClient(
  registry: ClientOf,
  folder: string,
  bearer: string,
  [program = '', ...args]: string[],
  environment: Record<string, string> = {},
): Promise<NpmRun> {
  const home = await mkdtemp(join(tmpdir(), 'registry-test-home-'));
  const address = registry.localUrl.replace(/^http:/, '');
  const settings = [`registry=${registry.localUrl}/`, `${address}/:_authToken=${bearer}`, `cache=${home}/cache`];
  await writeFile(join(home, '.npmrc'), [...settings, 'fund=false', 'update-notifier=false', ''].join('\n'));
  const child = spawn(program, args, {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      npm_config_userconfig: join(home, '.npmrc'),
      npm_config_globalconfig: join(home, 'none'),
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk) => chunks.push(chunk));
  child.stderr.on('data', (chunk) => chunks.push(chunk));
  const [code] = (await once(child, 'close')) as [number];
  await rm(home, { recursive: true, force: true });
  return { code, output: Buffer.concat(chunks).toString() };
}

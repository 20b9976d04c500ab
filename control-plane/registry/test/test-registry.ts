// A registry for tests, on a free port: with a stub of the control plane, tokens signed with real keys, and npm's own
// client with separate settings.

import { spawn } from 'node:child_process';
import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import type { Test } from 'tap';
import { type DownloadReport, type Registry, type RegistryOptions, startRegistry } from '../index.ts';

export const publishSecret = 'publish-secret-of-the-tests';
export const registrySecret = 'registry-secret-of-the-tests';

export type SigningKey = { kid: string; privateKey: KeyObject; publicKey: KeyObject };

/** A new RSA key with a random id. */
export function generateKey(): SigningKey {
  return { kid: randomUUID(), ...generateKeyPairSync('rsa', { modulusLength: 2048 }) };
}

type Received = { report: DownloadReport; headers: IncomingHttpHeaders; downloadedAt?: string };

/**
 * Starts a stub of the endpoints that the registry calls. `reportStatus` is the status of responses to reports;
 * `takesBatches` is false for an earlier control plane; `rejects` chooses reports of a batch that are rejected;
 * `answers` is false for one that stores reports and dies before it answers.
 */
export async function startControlPlaneStub(t: Test, keys: SigningKey[], port = 0) {
  const state = {
    keys,
    received: [] as Received[],
    keyFetches: 0,
    reportStatus: 202,
    withdrawals: [] as object[],
    takesBatches: true,
    /** Sizes of the batches that were sent. */
    batches: [] as number[],
    rejects: (_: DownloadReport): boolean => false,
    answers: true,
  };
  type Item = { idempotencyKey: string; downloadedAt: string; report: DownloadReport };

  /** Returns the response to a batch. */
  function receiveBatch({ reports }: { reports: Item[] }, headers: IncomingHttpHeaders): object {
    state.batches.push(reports.length);
    const outcomes = reports.map(({ idempotencyKey, downloadedAt, report }) => {
      if (state.rejects(report)) return { idempotencyKey, outcome: 'rejected', detail: 'data/version is invalid' };
      const isRepeated = state.received.some((other) => other.headers['idempotency-key'] === idempotencyKey);
      const received = { report, downloadedAt, headers: { ...headers, 'idempotency-key': idempotencyKey } };
      if (!isRepeated) state.received.push(received);
      return { idempotencyKey, outcome: isRepeated ? 'repeated' : 'stored', detail: null };
    });
    return { outcomes };
  }

  const server = createServer(async (request, response) => {
    if (request.url === '/.well-known/jwks.json') {
      state.keyFetches += 1;
      const published = state.keys.map(({ kid, publicKey }) => ({ ...publicKey.export({ format: 'jwk' }), kid }));
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ keys: published }));
      return;
    }
    if (request.url === '/license/withdrawals') {
      const isRegistry = request.headers.authorization === `Bearer ${registrySecret}`;
      response.writeHead(isRegistry ? 200 : 401).end(JSON.stringify({ items: state.withdrawals }));
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const isBatch = request.url === '/telemetry/downloads/batch';
    const status = isBatch && !state.takesBatches ? 404 : state.reportStatus;
    let answer: object = { accepted: true };
    if (status === 202) {
      const body = JSON.parse(Buffer.concat(chunks).toString());
      if (isBatch) answer = receiveBatch(body, request.headers);
      else state.received.push({ report: body, headers: request.headers });
    }
    if (!state.answers) return void request.socket.destroy();
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = async () => {
    if (!server.listening) return;
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  t.teardown(stop);
  return { state, url, port: Number(new URL(url).port), stop };
}

export type ControlPlaneStub = Awaited<ReturnType<typeof startControlPlaneStub>>;

/** Creates a folder that is deleted after the test. */
export async function makeFolder(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'registry-test-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts a registry that stops with the test. */
export async function startTestRegistry(
  t: Test,
  options: Partial<RegistryOptions> & { controlPlaneUrl: string },
): Promise<Registry> {
  const storage = options.storage ?? (await makeFolder(t));
  const registry = await startRegistry({
    port: 0,
    host: '127.0.0.1',
    registrySecret,
    publishSecret,
    log: () => {},
    ...options,
    storage,
  });
  t.teardown(() => registry.stop());
  return registry;
}

export type TokenClaims = {
  packages?: string[];
  tier?: string;
  sub?: string;
  license?: string;
  aud?: string;
  iss?: string;
  exp?: number;
};

/** Signs an activation token as the control plane does; `exp` is in seconds since the epoch. */
export function signToken(key: SigningKey, audience: string, claims: TokenClaims = {}): Promise<string> {
  const { packages = ['@carton/cart'], tier = 'basic', sub = 'customer-1', aud = audience, iss, license } = claims;
  return new SignJWT({ tier, packages, ...(license && { license }) })
    .setProtectedHeader({ alg: 'RS256', kid: key.kid, typ: 'JWT' })
    .setIssuer(iss ?? 'carton-control-plane')
    .setSubject(sub)
    .setAudience(aud)
    .setIssuedAt()
    .setExpirationTime(claims.exp ?? Math.floor(Date.now() / 1000) + 600)
    .setJti(randomUUID())
    .sign(key.privateKey);
}

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

export type NpmRun = { code: number; output: string };

/** Runs npm's own client in `folder` with a new home, settings and an empty cache, and `bearer` as its credential. */
export function npm(registry: Registry, folder: string, bearer: string, ...args: string[]): Promise<NpmRun> {
  return runClient(registry, folder, bearer, ['npm', ...args]);
}

/** Runs a client that reads `.npmrc`, as `npm` above. `environment` is added to its own. */
export async function runClient(
  registry: Registry,
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

/** Creates the folder of a package, which `npm publish` packs. */
export async function makePackage(
  t: Test,
  manifest: { name: string; version: string; [key: string]: unknown },
): Promise<string> {
  const folder = await makeFolder(t);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ license: 'UNLICENSED', ...manifest }));
  await writeFile(join(folder, 'index.js'), `module.exports = ${JSON.stringify(manifest.name)};\n`);
  return folder;
}

type Manifest = { name: string; version: string; [key: string]: unknown };

/** Publishes packages with npm's own client and the publisher's secret. */
export async function publish(t: Test, registry: Registry, ...manifests: Manifest[]): Promise<void> {
  for (const manifest of manifests) {
    const { code, output } = await npm(registry, await makePackage(t, manifest), publishSecret, 'publish');
    if (code !== 0) throw new Error(output);
  }
}

/** Publishes packages once. The returned function creates storage folders that contain them. */
export async function prepareStorage(t: Test, ...manifests: Manifest[]): Promise<(t: Test) => Promise<string>> {
  const prepared = await makeFolder(t);
  const registry = await startTestRegistry(t, { controlPlaneUrl: 'http://127.0.0.1:9', storage: prepared });
  await publish(t, registry, ...manifests);
  await registry.stop();
  return async (t) => {
    const folder = await makeFolder(t);
    await cp(prepared, folder, { recursive: true });
    return folder;
  };
}

/** Waits until a condition is true. The timeout of the test limits the wait. */
export async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}

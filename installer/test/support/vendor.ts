/**
 * Small implementations of the two services that the installer uses: an npm registry that requires a token, and a control
 * plane that exchanges licence keys for tokens. Tests set their contents and their faults.
 */
import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { json } from 'node:stream/consumers';
import type { TestPackage } from './packages.ts';

/** The entitlements of a licence key, or the problem in the response. */
export type Licence =
  | { tier: string; packages: string[] }
  | { status: number; code?: string; title?: string; detail?: string };

export interface TestVendor {
  controlPlaneUrl: string;
  registryUrl: string;
  /** By licence key. */
  licences: Map<string, Licence>;
  /** The packages of the release and the registry, by full name. */
  packages: Map<string, TestPackage>;
  /** The version of the release. */
  version: string;
  /** Makes packages the release of a version. Earlier ones can still be pulled. */
  publish(version: string, packages: TestPackage[]): void;
  /** The packages of all versions that were published so. */
  published: Map<string, TestPackage[]>;
  /** The response in place of the release. */
  release: { status: number; body: object } | undefined;
  /** Integrities in the release that replace the correct ones, by full name. */
  released: Map<string, string>;
  /** Error responses for packages, by full name. */
  refusals: Map<string, { status: number; error: string }>;
  /** What the registry serves at other paths, by path. */
  documents: Map<string, object>;
  /** Tarballs served instead of the correct ones, by full name. */
  replacements: Map<string, Buffer>;
  /** How many more times the connection breaks in the middle of a tarball, by full name. */
  breaks: Map<string, number>;
  /** Packages whose tarball stalls in the middle, by full name. */
  stalls: Set<string>;
  /** Answers a request to the registry in its place: returns whether it has. */
  intercept: ((path: string, request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  /** Answers a request to the control plane in its place: returns whether it has. */
  interceptControlPlane: ((path: string, response: ServerResponse) => boolean) | undefined;
  /** Breaks the connections of stalled tarballs. */
  breakStalled(): void;
  /** Tokens that the registry accepts. */
  tokens: Set<string>;
  /** Milliseconds by which the control plane's clock is ahead. */
  clockOffset: number;
  /** Every request, such as `GET /@scope/name`. */
  requests: string[];
  /** The headers of each activation. */
  activations: IncomingHttpHeaders[];
  /** The channel in tokens; none by default. */
  channel: string | undefined;
  close(): Promise<void>;
}

export async function startVendor(packages: TestPackage[], licences: Record<string, Licence>): Promise<TestVendor> {
  const vendor = {
    licences: new Map(Object.entries(licences)),
    packages: new Map(packages.map((each) => [each.manifest.name, each])),
    released: new Map(),
    refusals: new Map(),
    replacements: new Map(),
    documents: new Map(),
    breaks: new Map(),
    stalls: new Set(),
    tokens: new Set(),
    requests: [],
    clockOffset: 0,
    activations: [],
    version: '1.0.0',
    published: new Map(),
  } as unknown as TestVendor;
  vendor.publish = (version, packages) => {
    vendor.version = version;
    vendor.published.set(version, packages);
    for (const each of packages) vendor.packages.set(each.manifest.name, each);
  };
  const stalled: Socket[] = [];
  vendor.breakStalled = () => {
    for (const socket of stalled.splice(0)) socket.destroy();
  };
  const registry = createServer((request, response) => serveRegistry(vendor, request, response, stalled));
  const controlPlane = createServer((request, response) => serveControlPlane(vendor, request, response));
  vendor.registryUrl = `${await listen(registry)}/`;
  vendor.controlPlaneUrl = await listen(controlPlane);
  vendor.close = async () => {
    for (const server of [registry, controlPlane]) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  };
  return vendor;
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function serveControlPlane(
  vendor: TestVendor,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  vendor.requests.push(`${request.method} ${request.url}`);
  if (vendor.interceptControlPlane?.(String(request.url), response)) return;
  if (request.url === '/health') {
    response.setHeader('date', new Date(Date.now() + vendor.clockOffset).toUTCString());
    response.end('{}');
    return;
  }
  if (request.method === 'GET' && request.url === '/license') {
    // Like a control plane of before this route.
    response.writeHead(404, { 'content-type': 'application/problem+json' });
    response.end(JSON.stringify({ status: 404, code: 'not_found' }));
    return;
  }
  const { channel = 'stable' } = vendor;
  const [, asked] = request.url?.split(`/releases/${channel}/`) ?? [];
  if (request.url === `/releases/${channel}` || asked !== undefined) {
    const version = asked ?? vendor.version;
    const all = asked === undefined ? [...vendor.packages.values()] : (vendor.published.get(asked) ?? []);
    const packages = all.map(({ manifest, integrity, migrations }) => {
      const { name, version } = manifest;
      return { name, version, integrity: vendor.released.get(name) ?? integrity, migrations };
    });
    const missing = { status: 404, body: { status: 404, code: 'not_found' } };
    const { status, body } =
      vendor.release ?? (all.length > 0 ? { status: 200, body: { version, channel, packages } } : missing);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
    return;
  }
  vendor.activations.push(request.headers);
  const { key } = (await json(request)) as { key: string };
  const licence = vendor.licences.get(key) ?? {
    status: 401,
    code: 'license_key_unknown',
    title: 'The licence key is unknown',
    detail: 'The key is well formed, but this control plane has not minted it.',
  };
  if ('status' in licence) {
    const { status } = licence;
    response.writeHead(status, { 'content-type': 'application/problem+json' });
    response.end(JSON.stringify({ type: 'about:blank', ...licence }));
    return;
  }
  const claims = Buffer.from(JSON.stringify({ channel: vendor.channel })).toString('base64url');
  const token = vendor.channel === undefined ? randomUUID() : `e30.${claims}.${randomUUID()}`;
  vendor.tokens.add(token);
  const { tier, packages } = licence;
  const { registryUrl } = vendor;
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ tier, customerId: 'customer-1', token, expiresIn: 3600, packages, registryUrl }));
}

function serveRegistry(
  vendor: TestVendor,
  request: IncomingMessage,
  response: ServerResponse,
  stalled: Socket[],
): unknown {
  const path = decodeURIComponent(request.url ?? '');
  vendor.requests.push(`${request.method} ${path}`);
  if (vendor.intercept?.(path, request, response)) return;
  const respond = (status: number, body: object) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  if (path === '/-/ping') return respond(200, {});
  const token = (request.headers.authorization ?? '').replace(/^Bearer /, '');
  if (!vendor.tokens.has(token)) return respond(401, { error: 'The activation token has expired' });
  const document = vendor.documents.get(path);
  if (document) return respond(200, document);
  const [, name = '', file] = /^\/(@[^/]+\/[^/]+)(\/-\/.+)?$/.exec(path) ?? [];
  const refusal = vendor.refusals.get(name);
  if (refusal) return respond(refusal.status, { error: refusal.error });
  const found = vendor.packages.get(name);
  if (!found) return respond(404, { error: `no such package ${name}` });
  const others = [...vendor.published.values()].flat().filter(({ manifest }) => manifest.name === name);
  if (!file) return respond(200, packument([...others, found]));

  const asked = others.find(({ manifest }) => file.endsWith(`-${manifest.version}.tgz`)) ?? found;
  const tarball = vendor.replacements.get(name) ?? (others.includes(found) ? asked : found).tarball;
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': tarball.length });
  const breaks = vendor.breaks.get(name) ?? 0;
  if (breaks > 0 || vendor.stalls.has(name)) {
    vendor.breaks.set(name, breaks - 1);
    if (breaks <= 0) stalled.push(request.socket);
    response.write(tarball.subarray(0, tarball.length / 2), () => breaks > 0 && request.socket.destroy());
    return;
  }
  response.end(tarball);
}

function packument(packages: readonly TestPackage[]): object {
  const versions = packages.map(({ manifest, integrity, unpackedSize }) => {
    const { name, version } = manifest;
    const file = `${name.slice(name.indexOf('/') + 1)}-${version}.tgz`;
    // Not the registry's host, as from a registry behind a proxy.
    const tarball = `http://registry.invalid/${name}/-/${file}`;
    return [version, { ...manifest, dist: { tarball, integrity, unpackedSize } }] as const;
  });
  const { name, version } = (packages.at(-1) as TestPackage).manifest;
  return { name, 'dist-tags': { latest: version }, versions: Object.fromEntries(versions) };
}

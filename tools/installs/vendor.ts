/**
 * A control plane and an npm registry in one small server, which serves built packages from memory: rigs and benches of
 * the installer cut its connections, change its releases, and compare the installer with npm, which installs from it too.
 */
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BuiltPackage } from '../packages/index.ts';
import { readContent } from '../packages/publication.ts';

/** Exact versions that are installed together. */
export interface SmallRelease {
  version: string;
  packages: readonly BuiltPackage[];
}

export interface SmallVendor {
  /** URL of both services. */
  url: string;
  /** A key that is accepted, for the highest tier. */
  licenceKey: string;
  /** The token that the registry requires. */
  token: string;
  /** Makes a release the current one. */
  release(release: SmallRelease): Promise<void>;
  /** Ids of the installations that have activated. */
  readonly installations: ReadonlySet<string>;
  close(): Promise<void>;
}

interface Served {
  manifest: Record<string, unknown>;
  tarball: Buffer;
  integrity: string;
  unpackedSize: number;
  /** File names, which a release lists. */
  migrations: string[];
}

/** @param urlForClients the URL under which clients reach it, if that differs from its own */
export async function startSmallVendor(urlForClients?: () => string): Promise<SmallVendor> {
  const served = new Map<string, Map<string, Served>>();
  const installations = new Set<string>();
  const token = 'e30.e30.small-vendor';
  let current: SmallRelease | undefined;
  const respond = (response: ServerResponse, status: number, body: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

  const activation = () => {
    const packages = (current?.packages ?? []).filter(({ kind }) => kind !== 'library').map(({ name }) => name);
    return {
      tier: 'enterprise',
      customerId: 'customer',
      token,
      expiresIn: 3600,
      packages,
      registryUrl: `${urlForClients?.() ?? vendor.url}/`,
    };
  };

  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const path = decodeURIComponent(request.url ?? '');
    if (path === '/license/activate') {
      request.resume();
      const id = request.headers['installation-id'];
      if (typeof id === 'string') installations.add(id);
      return respond(response, 200, activation());
    }
    if (path.startsWith('/releases/')) {
      const packages = (current?.packages ?? []).map(({ name, version, integrity }) => {
        const { migrations = [] } = served.get(name)?.get(version) ?? {};
        return { name, version, integrity, migrations };
      });
      return respond(response, 200, { version: current?.version, channel: 'stable', packages });
    }
    if (request.headers.authorization !== `Bearer ${token}`) return respond(response, 401, { error: 'no token' });
    const [, name = '', file] = /^\/(@[^/]+\/[^/]+)(?:\/-\/(.+))?$/.exec(path) ?? [];
    const versions = served.get(name);
    if (!versions) return respond(response, 404, { error: 'not found' });
    if (file === undefined) return respond(response, 200, packument(vendor.url, name, versions));
    const found = [...versions].find(([version]) => file.endsWith(`-${version}.tgz`))?.[1];
    if (!found) return respond(response, 404, { error: 'not found' });
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': found.tarball.length });
    return response.end(found.tarball);
  };

  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const vendor: SmallVendor = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    licenceKey: 'ctn_enterprise_small_vendor',
    token,
    installations,
    async release(release) {
      for (const { name, version, tarball, integrity } of release.packages) {
        const versions = served.get(name) ?? new Map<string, Served>();
        if (versions.get(version)?.integrity !== integrity) {
          const { manifest, migrations, unpackedSize } = await readContent(tarball);
          versions.set(version, { manifest, tarball: await readFile(tarball), integrity, unpackedSize, migrations });
        }
        served.set(name, versions);
      }
      current = release;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return vendor;
}

function packument(url: string, name: string, versions: ReadonlyMap<string, Served>): object {
  const short = name.slice(name.indexOf('/') + 1);
  const entries = [...versions].map(([version, { manifest, integrity, unpackedSize }]) => {
    const tarball = `${url}/${name}/-/${short}-${version}.tgz`;
    return [version, { ...manifest, dist: { tarball, integrity, unpackedSize } }];
  });
  return { name, 'dist-tags': { latest: entries.at(-1)?.[0] }, versions: Object.fromEntries(entries) };
}

/**
 * A server between the installer and the vendor that has taken over a package: it passes requests on, and gives out its own
 * tarball in place of that of a package, with the digest in the release and in the packument, too.
 */
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Target } from './target.ts';

export interface Replaced {
  packageName: string;
  tarball: Buffer;
  /** False to leave the digests as the vendor has published them. */
  hasDigest: boolean;
  /** What the packument says that it unpacks to. */
  unpackedSize: number;
}

export interface HostileVendor {
  url: string;
  /** Null to pass everything on. */
  replaced: Replaced | null;
  close(): Promise<void>;
}

type Json = Record<string, unknown>;

export async function startHostileVendor({ controlPlane, registry }: Target): Promise<HostileVendor> {
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const path = decodeURIComponent(request.url ?? '');
    const isOfControlPlane = /^\/(license|releases|boxes|telemetry)\b/.test(path);
    const { authorization = '', 'content-type': type = 'application/json' } = request.headers;
    const { replaced } = vendor;
    if (replaced && path.startsWith(`/${replaced.packageName}/-/`)) return void response.end(replaced.tarball);
    const sent = await fetch(`${isOfControlPlane ? controlPlane.url : registry.url}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { ...(authorization && { authorization }), 'content-type': type },
      body: request.method === 'POST' ? new Uint8Array(await buffer(request)) : null,
    });
    const content = Buffer.from(await sent.arrayBuffer());
    const answerType = sent.headers.get('content-type') ?? '';
    response.writeHead(sent.status, { 'content-type': answerType });
    const isJson = /json/.test(answerType) && content.length > 0;
    response.end(isJson ? JSON.stringify(changed(JSON.parse(content.toString()) as Json, path)) : content);
  };

  const changed = (body: Json, path: string): Json => {
    const { replaced } = vendor;
    const digest = replaced?.hasDigest ? `sha512-${hash('sha512', replaced.tarball, 'base64')}` : undefined;
    if ('registryUrl' in body) return { ...body, registryUrl: `${vendor.url}/` };
    if (path.startsWith('/releases/') && replaced && digest) {
      const packages = (body.packages as Json[]).map((each) =>
        each.name === replaced.packageName ? { ...each, integrity: digest } : each,
      );
      return { ...body, packages };
    }
    if (!('versions' in body)) return body;
    const own = replaced && body.name === replaced.packageName ? replaced : null;
    const versions = Object.entries(body.versions as Record<string, Json>).map(([version, manifest]) => {
      const { tarball, ...dist } = manifest.dist as Json;
      const moved = { ...dist, tarball: `${vendor.url}${new URL(String(tarball)).pathname}` };
      const more = own && digest ? { integrity: digest, unpackedSize: own.unpackedSize } : {};
      return [version, { ...manifest, dist: { ...moved, ...more } }];
    });
    return { ...body, versions: Object.fromEntries(versions) };
  };

  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const vendor: HostileVendor = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    replaced: null,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return vendor;
}

/**
 * Downloads from a registry, as npm's clients send them: packuments, then tarballs, over connections that are kept.
 */
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import type { Customer, Registry } from '../support/vendor.ts';

export interface Pull {
  status: number;
  /** Whether all bytes of the body have arrived. */
  isWhole: boolean;
  bytes: number;
  /** Only of packuments: tarballs are not kept in memory. */
  text: string;
}

// Without a limit of sockets: a request that waited for one would get it without `reusedSocket`.
const agent = new Agent({ keepAlive: true });

/**
 * Sends a request. One that meets a kept connection which the registry has just closed is sent again, as npm's clients do.
 * @throws Error if the connection is lost before the headers of the response
 */
export async function pull(registry: Pick<Registry, 'url'>, path: string, token: string): Promise<Pull> {
  const sent = request(registry.url + path, {
    agent,
    headers: { authorization: `Bearer ${token}`, accept: 'application/vnd.npm.install-v1+json, */*' },
  });
  sent.end();
  let response: IncomingMessage;
  try {
    [response] = (await once(sent, 'response')) as [IncomingMessage];
  } catch (error) {
    if (sent.reusedSocket && (error as NodeJS.ErrnoException).code === 'ECONNRESET') return pull(registry, path, token);
    throw error;
  }
  const keepsText = !path.endsWith('.tgz');
  let [bytes, text] = [0, ''];
  try {
    for await (const chunk of response) {
      bytes += chunk.length;
      if (keepsText) text += chunk;
    }
  } catch {
    // `complete` tells.
  }
  const expected = response.headers['content-length'];
  const isWhole = response.complete && (expected === undefined || Number(expected) === bytes);
  return { status: response.statusCode as number, isWhole, bytes, text };
}

interface Packument {
  'dist-tags': { latest: string };
  versions: Record<
    string,
    {
      dist: { tarball: string };
      dependencies?: Record<string, string>;
      optionalDependencies?: Record<string, string>;
      os?: string[];
      cpu?: string[];
    }
  >;
}

/** A package to pull: the paths of its packument and of the tarball of its latest version. */
export interface PackagePaths {
  name: string;
  packument: string;
  tarball: string;
}

/** The packages that a customer's box installs on this machine: those of the licence, and the libraries that they need. */
export async function closureOf(
  registry: Pick<Registry, 'url'>,
  { token, packages }: Customer,
): Promise<PackagePaths[]> {
  const found = new Map<string, PackagePaths>();
  const left = [...packages];
  const [scope] = (packages[0] as string).split('/');
  for (let name = left.shift(); name !== undefined; name = left.shift()) {
    if (found.has(name)) continue;
    const packument = `/${name.replace('/', '%2f')}`;
    const { status, text } = await pull(registry, packument, token);
    // A native library of another machine need not have been published.
    if (status === 404 && !packages.includes(name)) continue;
    if (status !== 200) throw new Error(`GET ${packument} returned ${status}: ${text}`);
    const { 'dist-tags': tags, versions } = JSON.parse(text) as Packument;
    const { dist, dependencies, optionalDependencies, os, cpu } = versions[
      tags.latest
    ] as Packument['versions'][string];
    const isForThisMachine = (os?.includes(process.platform) ?? true) && (cpu?.includes(process.arch) ?? true);
    if (!isForThisMachine) continue;
    found.set(name, { name, packument, tarball: new URL(dist.tarball).pathname });
    const needed = Object.keys({ ...dependencies, ...optionalDependencies });
    left.push(...needed.filter((other) => other.startsWith(`${scope}/`)));
  }
  return [...found.values()];
}

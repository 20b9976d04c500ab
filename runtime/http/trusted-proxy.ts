/**
 * Trusted proxies. Any client can send X-Forwarded-For, -Host and -Proto; only values that a trusted proxy has added are
 * used.
 */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, type Socket } from 'node:net';
import type { Context } from 'koa';
import { comparableAddress } from './address.ts';

/** Whether the address is that of a trusted proxy; `hop` is 0 for the peer of our connection. */
export type TrustedProxy = (address: string, hop: number) => boolean;

/** Names for address ranges that proxies often have (RFC 1122, 1918, 4193). */
const ranges: Record<string, readonly string[]> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** Further addresses that no client on the internet has (RFC 3927, 4291, 6598). */
const otherLocal = ['169.254.0.0/16', 'fe80::/10', '100.64.0.0/10'];

/**
 * Parses the setting: `false` for none, the number of chained proxies (`true` is one), or a comma-separated list of
 * addresses and ranges (`loopback, 10.1.0.0/16`). Returns null for none.
 * @throws Error naming the invalid part
 */
export function trustedProxy(setting: boolean | string): TrustedProxy | null {
  const text = String(setting).trim();
  if (text === 'false' || text === '0') return null;
  const hops = text === 'true' ? 1 : /^[1-9]$/.test(text) ? Number(text) : 0;
  if (hops > 0) return (_, hop) => hop < hops;
  const list = new BlockList();
  for (const part of text.split(',').map((item) => item.trim())) {
    for (const range of ranges[part] ?? [part]) addRange(list, range);
  }
  return (address) => isIn(list, address);
}

function isIn(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

function addRange(list: BlockList, range: string): void {
  const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(range) ?? [];
  const version = isIP(address);
  const longest = version === 6 ? 128 : 32;
  const bits = prefix === undefined ? longest : Number(prefix);
  if (version === 0 || bits > longest) {
    throw new Error(`"${range}" is neither a number of proxies nor an address or range: 2, loopback, 10.0.0.0/8`);
  }
  list.addSubnet(address, bits, version === 6 ? 'ipv6' : 'ipv4');
}

/** An address without port and brackets, in the form in which it is compared; undefined for an invalid address. */
export function addressOf(text: string): string | undefined {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? text.replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1');
  return isIP(bare) ? comparableAddress(bare) : undefined;
}

const peers = new WeakMap<Socket, string>();

const localAddresses = new BlockList();
for (const range of [...Object.values(ranges).flat(), ...otherLocal]) addRange(localAddresses, range);

/** Requests whose client is a trusted proxy itself: it does not say for whom it sends them. */
const sentByProxies = new WeakSet<IncomingMessage>();

/**
 * Whether many clients may share `ctx.ip`: it is that of a trusted proxy, such as a storefront's server that names no
 * client, or not a public one, such as that of a proxy that is not trusted. Call it after `resolveClient`.
 */
export function isSharedAddress({ req, ip }: Pick<Context, 'req' | 'ip'>): boolean {
  return sentByProxies.has(req) || isIP(ip) === 0 || isIn(localAddresses, ip);
}

/** Whether `ctx.ip` is the address of the connection: nobody forwarded the request, as far as the box knows. */
export function isPeerAddress({ req, ip }: Pick<Context, 'req' | 'ip'>): boolean {
  return peerOf(req.socket) === ip;
}

/** The remote address of a connection, cached for its requests. */
function peerOf(socket: Socket): string {
  let peer = peers.get(socket);
  if (peer === undefined) {
    peer = addressOf(socket.remoteAddress ?? '') ?? '';
    peers.set(socket, peer);
  }
  return peer;
}

/**
 * Sets `ctx.ip`, and leaves only trusted values in the forwarded headers, which `ctx.host` and `ctx.protocol` are read
 * from. X-Forwarded-For is read from its end: the first address that is not a trusted proxy is the client's.
 */
export function resolveClient(ctx: Context, trusted: TrustedProxy | null): void {
  const { headers } = ctx.req;
  const peer = peerOf(ctx.req.socket);
  let client = peer;
  let hops = 0;
  if (trusted?.(peer, 0)) {
    hops = 1;
    let isProxy = true;
    const entries = list(headers['x-forwarded-for']).reverse();
    for (const entry of entries) {
      const address = addressOf(entry);
      if (address === undefined) break;
      client = address;
      isProxy = trusted(address, hops);
      if (!isProxy) break;
      hops++;
    }
    if (isProxy) sentByProxies.add(ctx.req);
  }
  ctx.request.ip = client;
  if (!trusted) return;
  for (const name of ['x-forwarded-host', 'x-forwarded-proto']) {
    const values = hops > 0 ? list(headers[name]) : [];
    // Each proxy may have appended a value: trusted ones wrote the last `hops` values.
    const trustedValue = values[Math.max(0, values.length - hops)];
    if (trustedValue === undefined) delete headers[name];
    else headers[name] = trustedValue;
  }
}

/** Sets `ctx.ip` to the address of a client that a caller with a credential names: it is no longer that of a proxy. */
export function nameClient({ req, request }: Pick<Context, 'req' | 'request'>, address: string): void {
  request.ip = address;
  sentByProxies.delete(req);
}

function list(header: string | string[] | undefined): string[] {
  if (header === undefined) return [];
  return String(header)
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/**
 * Which proxies are believed about the client. Whoever connects can write X-Forwarded-For, -Host and -Proto; only what
 * a proxy of ours wrote counts, and what it passed on from the client does not.
 */
import { BlockList, isIP, type Socket } from 'node:net';
import type { Context } from 'koa';

/** Says whether the machine at an address is a proxy of ours; `hop` is 0 for the one that is connected to us. */
export type TrustedProxy = (address: string, hop: number) => boolean;

/** Names for ranges that proxies often stand in (RFC 1122, 1918, 4193). */
const ranges: Record<string, readonly string[]> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/**
 * Reads the setting: `false` for no proxy, the number of proxies one behind the other (`true` is one), or their
 * addresses and ranges, with commas between (`loopback, 10.1.0.0/16`). Null for no proxy.
 * @throws Error naming the part that is none of these
 */
export function trustedProxy(setting: boolean | string): TrustedProxy | null {
  const text = String(setting).trim();
  if (text === 'false' || text === '0') return null;
  const hops = text === 'true' ? 1 : /^[1-9]$/.test(text) ? Number(text) : 0;
  if (hops > 0) return (_, hop) => hop < hops;
  const list = new BlockList();
  for (const part of text.split(',').map((given) => given.trim())) {
    for (const range of ranges[part] ?? [part]) addRange(list, range);
  }
  return (address) => list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
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

/** An address without port, brackets or the IPv6 form of an IPv4 one; undefined for what is no address. */
function addressOf(text: string): string | undefined {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? text.replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1');
  const address = bare.replace(/^::ffff:(?=\d+\.)/i, '');
  return isIP(address) ? address : undefined;
}

const peers = new WeakMap<Socket, string>();

/** The machine that is connected to us: the same for every request of a connection. */
function peerOf(socket: Socket): string {
  let peer = peers.get(socket);
  if (peer === undefined) {
    peer = addressOf(socket.remoteAddress ?? '') ?? '';
    peers.set(socket, peer);
  }
  return peer;
}

/**
 * Settles who the client is and what it asked for: `ctx.ip`, `ctx.host` and `ctx.protocol` hold from here on. The
 * forwarded headers are walked from our end; the first address that is no proxy of ours is the client's.
 */
export function resolveClient(ctx: Context, trusted: TrustedProxy | null): void {
  const { headers } = ctx.req;
  const peer = peerOf(ctx.req.socket);
  let client = peer;
  let hops = 0;
  if (trusted?.(peer, 0)) {
    hops = 1;
    const entries = list(headers['x-forwarded-for']).reverse();
    for (const entry of entries) {
      const address = addressOf(entry);
      if (address === undefined) break;
      client = address;
      if (!trusted(address, hops)) break;
      hops++;
    }
  }
  ctx.request.ip = client;
  if (!trusted) return;
  for (const name of ['x-forwarded-host', 'x-forwarded-proto']) {
    const given = hops > 0 ? list(headers[name]) : [];
    // Each proxy may have added one at the end: ours wrote the last `hops` of them.
    const believed = given[Math.max(0, given.length - hops)];
    if (believed === undefined) delete headers[name];
    else headers[name] = believed;
  }
}

function list(header: string | string[] | undefined): string[] {
  if (header === undefined) return [];
  return String(header)
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/**
 * IP addresses in the forms in which they are compared and counted. An IPv4 client has many names in IPv6: each would have
 * counts of its own, or all IPv4 clients would share one, unless it is taken for the IPv4 address that it contains.
 */
import { isIPv4, isIPv6 } from 'node:net';

type Groups = readonly number[];

/** The eight groups of an IPv6 address, without its zone. */
function groupsOf(address: string): Groups {
  const [before = [], after] = address.replace(/%.*$/, '').split('::').map(groupsIn);
  if (after === undefined) return before;
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
}

/** The groups of a part of an IPv6 address, which may end with an IPv4 address. */
function groupsIn(part: string): number[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (!isIPv4(group)) return [Number.parseInt(group, 16)];
    const [a, b, c, d] = group.split('.').map(Number) as [number, number, number, number];
    return [a * 256 + b, c * 256 + d];
  });
}

function ipv4Of(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

const startsWith = (groups: Groups, ...prefix: number[]) => prefix.every((group, at) => groups[at] === group);

/** Prefixes of 96 bits before the IPv4 address of the same host. */
const sameHost: readonly Groups[] = [
  [0, 0, 0, 0, 0, 0xffff], // IPv4-mapped, as dual-stack sockets report IPv4 clients (RFC 4291, section 2.5.5.2).
  [0, 0, 0, 0, 0xffff, 0], // IPv4-translated (RFC 2765, section 2.1).
  [0x64, 0xff9b, 0, 0, 0, 0], // NAT64 (RFC 6052, section 2.1).
];

/** An address as it is compared: one that is an IPv4 address in the notation of IPv6 is that IPv4 address. */
export function comparableAddress(address: string): string {
  if (!isIPv6(address)) return address;
  const groups = groupsOf(address);
  const [high, low] = groups.slice(6) as [number, number];
  // IPv4-compatible (RFC 4291, section 2.5.5.1); `::` and `::1` are no such addresses.
  const isCompatible = startsWith(groups, 0, 0, 0, 0, 0, 0) && high > 0;
  // A local prefix of NAT64 (RFC 8215) is taken for one of 96 bits.
  const isLocal = startsWith(groups, 0x64, 0xff9b, 1);
  const isSame = isCompatible || isLocal || sameHost.some((prefix) => startsWith(groups, ...prefix));
  return isSame ? ipv4Of(high, low) : address;
}

/**
 * The form in which an IP address is counted: for IPv6 the /64 network, since a subscriber has all of it (RFC 6177); for
 * one behind a tunnel over IPv4 the IPv4 address of the tunnel, whose subscriber has many such networks.
 */
export function addressBlock(ip: string): string {
  const address = comparableAddress(ip);
  if (!isIPv6(address)) return address;
  const groups = groupsOf(address);
  // 6to4 (RFC 3056, section 2) and Teredo, which inverts it (RFC 4380, section 4).
  if (startsWith(groups, 0x2002)) return ipv4Of(groups[1] as number, groups[2] as number);
  if (startsWith(groups, 0x2001, 0)) return ipv4Of(0xffff ^ (groups[6] as number), 0xffff ^ (groups[7] as number));
  const network = groups.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}

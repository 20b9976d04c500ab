/**
 * Addresses to which no URL that others have chosen may lead. Requests to it are sent from here, so it could otherwise
 * reach services of the network of this process.
 */
import { BlockList, isIP } from 'node:net';

type Range = [network: string, prefix: number];

/** This network, link-local (with the metadata service), IETF and benchmark ranges, Azure's metadata, multicast, reserved. */
const neverIPv4: Range[] = [
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['192.0.0.0', 24],
  ['198.18.0.0', 15],
  ['168.63.129.16', 32],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];
/** Unspecified; IPv4-translated, NAT64, Teredo and 6to4, which contain IPv4 addresses; discard, link-local, site-local, multicast. */
const neverIPv6: Range[] = [
  ['::', 128],
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2001::', 32],
  ['2002::', 16],
  ['100::', 64],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
];
/** EC2's metadata service has a unique-local address. */
const metadataIPv6 = 'fd00:ec2::254';
/** Private, shared (RFC 6598, with Alibaba's metadata service), loopback. */
const privateIPv4: Range[] = [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
];
/** Loopback and unique-local. */
const privateIPv6: Range[] = [
  ['::1', 128],
  ['fc00::', 7],
];

function listOf(ipv4: readonly Range[], ipv6: readonly Range[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of ipv4) list.addSubnet(network, prefix, 'ipv4');
  for (const [network, prefix] of ipv6) list.addSubnet(network, prefix, 'ipv6');
  return list;
}

const never = listOf(neverIPv4, neverIPv6);
never.addAddress(metadataIPv6, 'ipv6');
never.addAddress('100.100.100.200');
const nonPublic = listOf(privateIPv4, privateIPv6);
const compatible = listOf([], [['::', 96]]);

/**
 * Whether a URL must not lead to this IP address. An IPv4 address in IPv6 notation (`::ffff:10.0.0.1`) is the address it
 * contains.
 * @param allowPrivate accept loopback, private and unique-local addresses, but never the others
 */
export function isForbiddenAddress(address: string, allowPrivate: boolean): boolean {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (never.check(address, family)) return true;
  if (nonPublic.check(address, family)) return !allowPrivate;
  return family === 'ipv6' && compatible.check(address, family);
}

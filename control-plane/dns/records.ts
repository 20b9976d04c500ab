/**
 * The records of a zone. They depend on its name and the settings only, not on the customer: any number of customers may
 * claim a name, and none can change what it is served with.
 */
import { isIP } from 'node:net';
import type { ZoneSettings } from './settings.ts';

/** The records of a name and type, in the notation of zone files. */
export interface RecordSet {
  name: string;
  type: string;
  /** Seconds. */
  ttl: number;
  contents: string[];
}

/** Seconds. */
const times = { authority: 3600, address: 300 };
/** Refresh, retry, expiry, and how long it is kept that a name does not exist (RFC 1912, section 2.2), in seconds. */
const soaTimes = '10800 3600 604800 300';

/** The zone's SOA and NS, and what leads its name and all names below it to the website hosting layer. */
export function recordsOf(zone: string, settings: ZoneSettings): RecordSet[] {
  const { nameservers, powerdns } = settings;
  const { contact, hosting } = powerdns;
  const name = `${zone}.`;
  const authority = (type: string, contents: string[]) => ({ name, type, ttl: times.authority, contents });
  const address = (name: string, type: string, contents: string[]) => ({ name, type, ttl: times.address, contents });
  const sets = [
    // The serial is PowerDNS's.
    authority('SOA', [`${nameservers[0]}. ${mailboxOf(contact)} 0 ${soaTimes}`]),
    authority('NS', nameservers.map((host) => `${host}.`).sort()),
  ];
  if ('name' in hosting) {
    const target = [`${hosting.name}.`];
    // The name of a zone has an SOA, next to which there can be no CNAME (RFC 1034, section 3.6.2).
    return [...sets, address(name, 'ALIAS', target), address(`*.${name}`, 'CNAME', target)];
  }
  for (const [type, family] of [
    ['A', 4],
    ['AAAA', 6],
  ] as const) {
    const addresses = hosting.addresses.filter((each) => isIP(each) === family).sort();
    if (addresses.length > 0) sets.push(address(name, type, addresses), address(`*.${name}`, type, addresses));
  }
  return sets;
}

/** A mail address as a name: dots before the @ are escaped (RFC 1035, section 8). */
function mailboxOf(address: string): string {
  const [user = '', host] = address.split('@');
  return `${user.replaceAll('.', '\\.')}.${host}.`;
}

/** What must change so that a zone has the wanted records: sets to replace, and sets to delete, which are empty. */
export function changesOf(wanted: readonly RecordSet[], found: readonly RecordSet[]): RecordSet[] {
  const keyOf = ({ name, type }: RecordSet) => `${name} ${type}`;
  const foundBy = new Map(found.map((set) => [keyOf(set), set]));
  const wantedKeys = new Set(wanted.map(keyOf));
  const replaced = wanted.filter((set) => {
    const before = foundBy.get(keyOf(set));
    return before === undefined || textOf(before) !== textOf(set);
  });
  const deleted = found.filter((set) => !wantedKeys.has(keyOf(set))).map((set) => ({ ...set, contents: [] }));
  return [...deleted, ...replaced];
}

function textOf({ type, ttl, contents }: RecordSet): string {
  const comparable = type === 'SOA' ? contents.map(withoutSerial) : [...contents].sort();
  return JSON.stringify([ttl, comparable]);
}

function withoutSerial(soa: string): string {
  return soa.split(' ').toSpliced(2, 1).join(' ');
}

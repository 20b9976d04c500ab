/**
 * Rules for URLs that others have chosen, by their text alone.
 */
import { isIP } from 'node:net';
import { normalizeHost } from '../http/host.ts';
import { isForbiddenAddress } from './addresses.ts';

export interface UrlRules {
  /** Accept http. */
  readonly allowHttp: boolean;
  /** Accept loopback, private and unique-local addresses, and names of one label. */
  readonly allowPrivate: boolean;
  /** Hosts of the service itself, normalised, to which no URL may lead. */
  readonly ownHosts: readonly string[];
}

/** The host of a URL: a name without a trailing dot, or an IP address without brackets. */
export function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

/** Why a URL is not allowed; null if it is, as far as its text tells. */
export function faultOfUrl(text: string, rules: UrlRules): string | null {
  const { allowHttp, allowPrivate, ownHosts } = rules;
  const wanted = allowHttp ? 'must be an http or https URL' : 'must be an https URL';
  if (!URL.canParse(text)) return wanted;
  const { protocol, username, password } = new URL(text);
  if (protocol !== 'https:' && !(allowHttp && protocol === 'http:')) return wanted;
  // URLs are shown to others.
  if (username !== '' || password !== '') return 'must not contain a user name or a password';
  const host = hostOf(text);
  if (isIP(host) > 0) return isForbiddenAddress(host, allowPrivate) ? faultOfAddress(host) : null;
  if (normalizeHost(host) === null) return 'must have a valid host name';
  if (ownHosts.includes(host)) return 'must not be a host of this service';
  const isLocal = !host.includes('.') || /\.(localhost|local|internal)$/.test(host);
  return isLocal && !allowPrivate ? `must not have the local host name ${host}` : null;
}

/** What is wrong with an address that a URL has or its name resolves to. */
export function faultOfAddress(address: string): string {
  return `must not lead to ${address}: loopback, private, link-local and multicast addresses are not allowed`;
}

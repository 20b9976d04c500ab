/**
 * Rules for the URLs of boxes by their text alone.
 */
import { isIP } from 'node:net';
import { normalizeHost } from '@carton/runtime/service';
import { isForbiddenAddress } from './addresses.ts';

export interface BackendRules {
  /** Accept http. */
  readonly allowHttpBackends: boolean;
  /** Accept loopback, private and unique-local addresses, and names of one label. */
  readonly allowPrivateBackends: boolean;
  /** Hosts of the control plane itself, normalised, to which no backend may lead. */
  readonly ownHosts: readonly string[];
}

/** The host of a URL: a name without a trailing dot, or an IP address without brackets. */
export function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

/** Why a URL cannot be that of a box; null if it can, as far as its text tells. */
export function faultOfUrl(text: string, rules: BackendRules): string | null {
  const { allowHttpBackends, allowPrivateBackends, ownHosts } = rules;
  const wanted = allowHttpBackends ? 'must be an http or https URL' : 'must be an https URL';
  if (!URL.canParse(text)) return wanted;
  const { protocol, username, password } = new URL(text);
  if (protocol !== 'https:' && !(allowHttpBackends && protocol === 'http:')) return wanted;
  // Everyone can read it from `/boxes/resolve`.
  if (username !== '' || password !== '') return 'must not contain a user name or a password';
  const host = hostOf(text);
  if (isIP(host) > 0) return isForbiddenAddress(host, allowPrivateBackends) ? faultOfAddress(host) : null;
  if (normalizeHost(host) === null) return 'must have a valid host name';
  if (ownHosts.includes(host)) return 'must not be a host of the control plane';
  const isLocal = !host.includes('.') || /\.(localhost|local|internal)$/.test(host);
  return isLocal && !allowPrivateBackends ? `must not have the local host name ${host}` : null;
}

/** What is wrong with an address that a backend has or resolves to. */
export function faultOfAddress(address: string): string {
  return `must not lead to ${address}: loopback, private, link-local and multicast addresses are not allowed`;
}

// Rejects requests whose host is not clear (RFC 9112, section 3.2), before anything else is read from them: a proxy or a
// cache in front of the registry may take them for requests to another host.

import type { IncomingMessage } from 'node:http';
import { hostInvalid, type Refusal } from './refusal.ts';

/** A name in actual use, or an IPv6 address in brackets, with an optional port. */
const hostPattern = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{0,5})?$/i;
const maxHostLength = 261; // 255 characters and a port

/** The refusal of a request with several hosts, an invalid one, or none in HTTP/1.1; undefined for others. */
export function refusalOfHost({ headers, headersDistinct, httpVersionMinor }: IncomingMessage): Refusal | undefined {
  if ((headersDistinct.host?.length ?? 0) > 1) return hostInvalid('is duplicate');
  const { host } = headers;
  if (host === undefined) return httpVersionMinor > 0 ? hostInvalid('is missing') : undefined;
  // An empty one is that of a target without a host.
  return host === '' || (host.length <= maxHostLength && hostPattern.test(host))
    ? undefined
    : hostInvalid('is not a valid host');
}

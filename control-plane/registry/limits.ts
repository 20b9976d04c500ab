// Limits, so that no customer takes the registry from the others: requests and tarballs at a time of each customer,
// whichever of his licences he uses, wrong tokens of each address, and guesses at the publisher's secret. Counts are in
// memory, for each process.

import type { IncomingMessage } from 'node:http';
import { isIP, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import proxyAddress from 'proxy-addr';
import { Refusal } from './refusal.ts';

/** 0 for no limit. */
export type LimitSettings = {
  /** Requests a minute of a customer, beyond the burst. */
  requests: number;
  /** Requests of a customer that may come at once. */
  burst: number;
  /** Tarballs at a time of a customer. */
  tarballs: number;
  /** Wrong tokens a minute of an address. */
  wrongTokens: number;
};

export const defaultLimits: LimitSettings = { requests: 12_000, burst: 30_000, tarballs: 4_000, wrongTokens: 120 };

export type Limits = {
  /** Counts a request of a customer. @throws Refusal 429 */
  countRequest(customerId: string): void;
  /** Counts a tarball until the returned function is called. @throws Refusal 429 */
  startTarball(customerId: string): () => void;
  /** Counts a wrong token of a request's address. A right one is never refused for those of others. @throws Refusal 429 */
  countWrongToken(request: IncomingMessage): void;
  /** Refuses a secret that may be guessable, also the right one, from an address with too many guesses. @throws Refusal 429 */
  rejectGuesser(request: IncomingMessage): void;
  /** Counts a wrong secret of a request's address. @throws Refusal 429 if it is one too many */
  countGuess(request: IncomingMessage): void;
};

/** Wrong secrets a minute of an address. */
export const guessesPerMinute = 20;

/** Whether an address is that of a trusted proxy; `hop` is 0 for the peer of the connection. */
export type TrustedProxy = (address: string, hop: number) => boolean;

const minute = 60_000;
/** Customers and addresses that are counted at most; those not seen for longest start with a full bucket again. */
const maxCounted = 100_000;
/** A client that pulls tarballs has one free within seconds. */
const tarballRetryAfter = 5;

/** `elapsed` returns the milliseconds of a monotonic clock. */
export function createLimits(settings: LimitSettings, trusted: TrustedProxy, elapsed: () => number): Limits {
  const requests = new TokenBuckets(settings.requests, settings.burst, elapsed);
  const wrongTokens = new TokenBuckets(settings.wrongTokens, settings.wrongTokens, elapsed);
  const guesses = new TokenBuckets(guessesPerMinute, guessesPerMinute, elapsed);
  const tarballs = new Map<string, number>();
  const addressOf = (request: IncomingMessage) => addressBlock(proxyAddress(request, trusted));

  return {
    countRequest(customerId) {
      const wait = requests.take(customerId);
      if (wait > 0)
        throw tooMany('too_many_requests', `Too many requests of this customer: try again in ${wait} s`, wait);
    },
    startTarball(customerId) {
      const started = tarballs.get(customerId) ?? 0;
      if (settings.tarballs > 0 && started >= settings.tarballs) {
        throw tooMany(
          'too_many_tarballs',
          `This customer is downloading ${started} packages at a time: try again in a moment`,
          tarballRetryAfter,
        );
      }
      tarballs.set(customerId, started + 1);
      return () => {
        const left = (tarballs.get(customerId) ?? 1) - 1;
        if (left > 0) tarballs.set(customerId, left);
        else tarballs.delete(customerId);
      };
    },
    countWrongToken(request) {
      const wait = wrongTokens.take(addressOf(request));
      if (wait > 0) throw tooMany('too_many_wrong_tokens', `Too many wrong tokens: try again in ${wait} s`, wait);
    },
    rejectGuesser(request) {
      refuseGuesses(guesses.wait(addressOf(request)));
    },
    countGuess(request) {
      refuseGuesses(guesses.take(addressOf(request)));
    },
  };
}

function refuseGuesses(wait: number): void {
  if (wait > 0) throw tooMany('too_many_wrong_secrets', `Too many wrong secrets: try again in ${wait} s`, wait);
}

const tooMany = (code: string, message: string, retryAfter: number) => new Refusal(429, code, message, {}, retryAfter);

/** Token buckets by key. A new one is full. */
class TokenBuckets {
  readonly #share: number;
  readonly #burst: number;
  readonly #elapsed: () => number;
  /** When the bucket of each key will be full. */
  readonly #fullAt = new LRUCache<string, number>({ max: maxCounted });

  /** @param rate tokens a minute, 0 for no limit @param burst tokens of a full bucket */
  constructor(rate: number, burst: number, elapsed: () => number) {
    this.#share = rate === 0 ? 0 : minute / rate;
    this.#burst = Math.max(burst, 1) * this.#share;
    this.#elapsed = elapsed;
  }

  /** Takes a token. Returns 0, or the seconds until there is one. */
  take(key: string): number {
    const { wait, fullAt } = this.#after(key);
    if (wait === 0) this.#fullAt.set(key, fullAt);
    return wait;
  }

  /** Returns the seconds until there is a token; 0 if there is one. */
  wait(key: string): number {
    return this.#after(key).wait;
  }

  /** The seconds until a token can be taken, and when the bucket would be full after it. */
  #after(key: string): { wait: number; fullAt: number } {
    const now = this.#elapsed();
    const missing = Math.max(0, (this.#fullAt.get(key) ?? now) - now) + this.#share;
    const isEmpty = missing > this.#burst + 0.001;
    return { wait: isEmpty ? Math.max(1, Math.ceil((missing - this.#burst) / 1000)) : 0, fullAt: now + missing };
  }
}

/**
 * The form in which an address is counted: for IPv6 the /64 network, since a subscriber has all of it (RFC 6177), and the
 * IPv4 address of one that contains it, as `runtime/http/address.ts` has it.
 */
export function addressBlock(text: string): string {
  if (isIP(text) === 0) return text;
  // The library reads no IPv4 address at the end of an IPv6 one; a URL has none there.
  const address = ipaddr.parse(
    isIPv6(text) ? new URL(`http://[${text.replace(/%.*/, '')}]`).hostname.slice(1, -1) : text,
  );
  const bytes = address.toByteArray();
  const ipv4 = address.kind() === 'ipv4' ? bytes : ipv4In(address.range(), bytes);
  return ipv4 ? ipv4.join('.') : `${bytes.slice(0, 8).join('.')}/64`;
}

/** The bytes of the IPv4 address that an IPv6 address of such a range contains; null for others. */
function ipv4In(range: string, bytes: readonly number[]): readonly number[] | null {
  if (range === '6to4') return bytes.slice(2, 6);
  if (range === 'teredo') return bytes.slice(12).map((byte) => 255 ^ byte);
  const startsWith = (...prefix: number[]) => prefix.every((byte, at) => bytes[at] === byte);
  const isCompatible =
    bytes.slice(0, 12).every((byte) => byte === 0) && !bytes.slice(12, 14).every((byte) => byte === 0);
  const isLocalNat64 = startsWith(0, 0x64, 0xff, 0x9b, 0, 1);
  return isCompatible || isLocalNat64 || ['ipv4Mapped', 'rfc6145', 'rfc6052'].includes(range) ? bytes.slice(12) : null;
}

/**
 * Reads the setting TRUST_PROXY, which has the same values as that of the other services: `false`, the number of proxies
 * in a chain (`true` is one), or addresses and ranges (`loopback, 10.0.0.0/8`, `private`).
 * @throws Error that names the setting
 */
export function trustedProxy(setting: string): TrustedProxy {
  const text = setting.trim();
  if (text === 'false' || text === '0') return () => false;
  if (text === 'true' || /^[1-9]$/.test(text)) {
    const hops = text === 'true' ? 1 : Number(text);
    return (_, hop) => hop < hops;
  }
  try {
    const parts = text.split(',').map((part) => part.trim().replace(/^private$/, 'uniquelocal'));
    return proxyAddress.compile(parts);
  } catch {
    throw new Error(`TRUST_PROXY must be a number of proxies, or addresses and ranges: 2, loopback, 10.0.0.0/8`);
  }
}

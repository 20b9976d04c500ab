/**
 * What requests to the control plane and to the registry have in common.
 */

/** The useful message of a fetch error: fetch puts it into the cause, or into a list of causes if it tried several addresses. */
export function networkReason(error: unknown): string {
  const { cause, message } = error as Error;
  const detail = cause as (Error & { code?: string; errors?: Error[] }) | undefined;
  return detail?.errors?.[0]?.message || detail?.message || detail?.code || message;
}

/** What to do about a failed request: `usual`, unless the machine's clock may be the cause. */
export function networkAdvice(reason: string, usual: string, now = new Date()): string {
  // The messages of OpenSSL for a certificate outside its time.
  if (!/certificate (is not yet valid|has expired)/i.test(reason)) return usual;
  return `Check the clock of this machine, which says ${now.toISOString().slice(0, 16)}Z. If it is right, contact the vendor`;
}

/**
 * Whether a value is an HTTP or HTTPS URL to which paths can be added: without spaces around it, a query or a fragment, and
 * without a user name and password, which requests do not send.
 */
export function isHttpUrl(value: unknown): value is string {
  if (typeof value !== 'string' || !/^https?:\/\/[^\s?#]+$/i.test(value)) return false;
  const url = URL.parse(value);
  return url !== null && url.username === '' && url.password === '';
}

/** Whether requests to a URL can be read on their way: by HTTP without TLS, to another machine. */
export function isReadable(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(127(\.\d+){3}|\[::1\]|localhost)$/.test(hostname);
}

/**
 * Reads `Retry-After` (RFC 9110, section 10.2.3): seconds, or a date.
 * @param now milliseconds since the epoch
 * @returns seconds; undefined if the header is absent or invalid
 */
export function readRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000));
}

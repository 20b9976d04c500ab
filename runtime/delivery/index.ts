/**
 * Delivery: how whatever leaves the engine or the control plane, such as events, webhooks, reports and mails, gets to
 * where it goes. The parts know nothing of what they carry; each kind takes those that it needs.
 *
 * - `lease.ts`: which work is due, and whose it is. A row is claimed by one worker; the lease of one that died ends.
 * - `backoff.ts`: when a failed attempt is repeated, and what a Retry-After has to say in it.
 * - `circuit.ts`: destinations that are away get no attempts for a while.
 * - `urls.ts`, `lookups.ts`, `addresses.ts`: to which URLs and addresses a request may lead.
 * - `send.ts`: one request, to addresses that were checked; redirects are not followed. `signature.ts` signs it.
 * - `attempt.ts`: what is kept of an attempt: status, duration, shortened error.
 *
 * Delivered at least once: what is done is recorded after it was sent, and a crash in between repeats it with the same
 * id. Where the work is in the database, the record belongs to the transaction of the work, and it is done once.
 *
 * This entry has what the registry uses, which is a process without a database. The others import `@carton/runtime` and
 * `/service`.
 */
export type { Sent } from './attempt.ts';
export { type BackOff, secondsUntilRetry } from './backoff.ts';
export { send } from './send.ts';

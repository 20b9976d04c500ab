/**
 * Subscribers: what a package does when something has happened. Each is called once for each event of the types it
 * names, in the order of each resource's events, again and again until it succeeds or the event is dead for it.
 */
import type { TenantDatabase } from '../db/tenant-database.ts';
import type { Static, TSchema } from '../http/schemas.ts';
import type { EventDefinition } from './event.ts';
import type { Resource } from './outbox.ts';

/** An event as a subscriber is given it. */
export interface DeliveredEvent<Payload = unknown> {
  readonly id: string;
  readonly type: string;
  readonly resource: Resource;
  readonly payload: Payload;
  /** When it came to be, ISO 8601. */
  readonly createdAt: string;
  /** The same at each attempt to deliver this event to this subscriber: an idempotency key for another service. */
  readonly deliveryId: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

export interface Subscriber {
  /** `<package>.<what it does>`, unique in the product; kept with each delivery, so it stays as it is. */
  readonly name: string;
  /** What it is told of; `all` for every event, also of packages that come later. */
  readonly events: readonly EventDefinition[] | 'all';
  /**
   * It calls a service over the network. Then it is given the database outside of a transaction and may be called again
   * for what it has done already; otherwise its work and the record of it are one transaction, and happen once.
   */
  readonly outsideTransaction?: boolean;
  /** @throws anything, to be called again later */
  handle(db: TenantDatabase, event: DeliveredEvent): Promise<unknown>;
}

type Payloads<Events> = Events extends readonly EventDefinition<infer Payload>[] ? Payload : TSchema;

/**
 * Declares a subscriber, with the payload's type taken from the events.
 * @example subscriber({ name: 'payment.void-canceled', events: [orderCanceled], outsideTransaction: true, handle: (db, { resource }) => … })
 */
export function subscriber<const Events extends Subscriber['events']>(
  declared: Omit<Subscriber, 'events' | 'handle'> & {
    events: Events;
    handle(db: TenantDatabase, event: DeliveredEvent<Static<Payloads<Events>>>): Promise<unknown>;
  },
): Subscriber {
  return Object.freeze(declared) as unknown as Subscriber;
}

/**
 * Subscribers: how a package reacts to events. Each is called for every event of its types, in the order of each
 * resource's events, and retried until it succeeds or the delivery is dead.
 */
import type { TenantDatabase } from '../db/tenant-database.ts';
import type { BackOff } from '../delivery/backoff.ts';
import type { HasExtensions } from '../extension/extension.ts';
import type { Static, TSchema } from '../http/schemas.ts';
import type { EventDefinition } from './event.ts';
import type { Resource } from './outbox.ts';

/** An event as a subscriber receives it. */
export interface DeliveredEvent<Payload = unknown> {
  readonly id: string;
  readonly type: string;
  readonly resource: Resource;
  readonly payload: Payload;
  /** ISO 8601. */
  readonly createdAt: string;
  /** The same in each attempt to deliver this event to this subscriber: an idempotency key for other services. */
  readonly deliveryId: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

/** An event before its deliveries. */
export type DispatchedEvent = Omit<DeliveredEvent, 'deliveryId' | 'attempt'>;

/** How often a delivery is attempted, and when. */
export interface Retries extends BackOff {
  /** After this many the delivery is dead. */
  readonly attempts: number;
}

export interface Subscriber {
  /** `<package>.<action>`, unique in the product. It is stored with each delivery and must not change. */
  readonly name: string;
  /**
   * The events that are delivered to it; `all` for every event that is not internal, including those of packages added
   * later; a function for those that other packages contribute in a box.
   */
  readonly events: readonly EventDefinition[] | 'all' | ((box: HasExtensions) => readonly EventDefinition[]);
  /**
   * For a subscriber that calls a service over the network: its database is outside a transaction, and it may be called
   * again for work it has already done. Otherwise its work and the delivery's record are one transaction: exactly once.
   */
  readonly outsideTransaction?: boolean;
  /**
   * Id of the resource within which its deliveries are in order, in place of the event's: that of the order, for a
   * subscriber that keeps events of an order and of its payments in order.
   */
  orderedBy?(box: HasExtensions, event: DispatchedEvent): string;
  /**
   * Whether the subscriber has to know of an event of its types; by default all are delivered. It decides by the event
   * alone, when it is dispatched, which spares the delivery.
   */
  concerns?(event: DispatchedEvent): boolean;
  /** Replaces the attempts of other subscribers: twelve in about two days. */
  readonly retries?: Retries;
  /** Retried later if it throws. */
  handle(db: TenantDatabase, event: DeliveredEvent): Promise<unknown>;
}

type Payloads<Events> = Events extends readonly EventDefinition<infer Payload>[] ? Payload : TSchema;

/**
 * Declares a subscriber; the type of the payload follows from the events.
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

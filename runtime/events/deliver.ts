/**
 * Deliveries of events to subscribers. Before the subscriber is called, the delivery is claimed with a lease and its
 * attempt is counted: a delivery that crashes the process is not retried forever, and another replica retries the
 * delivery of a dead process when the lease expires.
 *
 * For each subscriber and resource only the first pending delivery is claimed, so that the events of a resource stay in
 * order: the deliveries behind one that fails wait until it is delivered or dead.
 */
import type { Database } from '../db/database.ts';
import type { TenantDatabase } from '../db/tenant-database.ts';
import { errorText } from '../delivery/attempt.ts';
import { secondsUntilRetry } from '../delivery/backoff.ts';
import { attemptTimeout, leaseSeconds, selectDue } from '../delivery/lease.ts';
import type { RunTask } from '../operations/task.ts';
import type { DeliveredEvent, Retries, Subscriber } from './subscriber.ts';

/** With the waits below, the last attempt is about two days after the first. */
export const maxAttempts = 12;
/** 5 seconds, then 20, 80 …, at most six hours. */
const defaultRetries: Retries = { attempts: maxAttempts, first: 5, factor: 4, most: 6 * 3600 };

interface ClaimedDelivery {
  id: string;
  subscriber: string;
  attempts: number;
  position: number;
  eventId: string;
  type: string;
  resourceType: string;
  resourceId: string;
  payload: unknown;
  createdAt: string;
}

export type DeliveryOutcome = 'delivered' | 'failed' | 'dead';

/** A finished attempt to deliver an event. */
export interface DeliveryAttempt {
  outcome: DeliveryOutcome;
  subscriber: string;
  type: string;
  eventId: string;
  attempts: number;
  /** Seconds since the event was written. */
  age: number;
  error?: unknown;
}

export interface DeliverOptions {
  subscribers: readonly Subscriber[];
  /** Wraps each attempt. */
  around: RunTask;
  /** Called after each attempt. */
  observe(attempt: DeliveryAttempt): void;
}

/** Deliveries in one transaction: the transaction is the largest part of a delivery's cost. */
const maxBatch = 100;
/** Concurrent calls of other services for one tenant. */
const maxCalls = 8;

/**
 * Makes the due deliveries to subscribers that work in a transaction. First attempts share one transaction; if it
 * fails, they are repeated with one transaction each, as are retries. Returns the number of deliveries.
 */
export async function deliverInTransaction(
  database: Database,
  tenantId: string,
  options: DeliverOptions,
): Promise<number> {
  const subscribers = options.subscribers.filter(({ outsideTransaction }) => !outsideTransaction);
  const claimed = await claimDue(database.forTenant(tenantId), subscribers, maxBatch);
  const db = () => database.forTenant(tenantId, null, performance.now() + attemptTimeout);
  const first = claimed.filter(({ delivery }) => delivery.attempts === 1);
  const areDelivered = first.length > 1 && (await attempt(db(), first, options.around).then(...succeeded));
  if (areDelivered) for (const one of first) options.observe({ ...describe(one), outcome: 'delivered' });
  for (const one of claimed) {
    if (areDelivered && first.includes(one)) continue;
    await recordOutcome(database.forTenant(tenantId), one, options, () => attempt(db(), [one], options.around));
  }
  return claimed.length;
}

/** Makes the due deliveries to subscribers that work outside a transaction, concurrently. Returns their number. */
export async function deliverOutsideTransaction(
  database: Database,
  tenantId: string,
  options: DeliverOptions,
): Promise<number> {
  const db = database.forTenant(tenantId);
  const subscribers = options.subscribers.filter(({ outsideTransaction }) => outsideTransaction);
  const claimed = await claimDue(db, subscribers, maxCalls);
  await Promise.all(
    claimed.map((one) => recordOutcome(db, one, options, () => attemptOutsideTransaction(db, one, options.around))),
  );
  return claimed.length;
}

interface Claimed {
  subscriber: Subscriber;
  delivery: ClaimedDelivery;
}

const succeeded = [() => true, () => false] as const;

/**
 * Claims due deliveries, the first for each subscriber and resource. Deliveries to subscribers of a package that left
 * the box stay pending.
 */
async function claimDue(db: TenantDatabase, subscribers: readonly Subscriber[], limit: number): Promise<Claimed[]> {
  if (subscribers.length === 0) return [];
  const deliveries = await db.query<ClaimedDelivery>(claimText, [subscribers.map(({ name }) => name), limit]);
  return deliveries
    .map((delivery) => {
      const subscriber = subscribers.find(({ name }) => name === delivery.subscriber) as Subscriber;
      return { subscriber, delivery };
    })
    .sort((one, other) => one.delivery.position - other.delivery.position);
}

const claimText = `
  with first as (${selectDue({
    table: 'event_deliveries',
    key: 'id',
    waiting: (row) => `${row}.tenant_id = $1 and ${row}.status = 'pending'`,
    where: 'due.subscriber = any($2)',
    inOrder: ['subscriber', 'resource_id'],
    order: 'due.position, due.id',
    limit: '$3',
  })})
  update event_deliveries delivery
     set attempts = attempts + 1, next_attempt_at = now() + interval '${leaseSeconds} seconds', updated_at = now()
    from event_outbox event
   where delivery.tenant_id = $1 and delivery.id in (select id from first)
     and event.tenant_id = $1 and event.id = delivery.event_id
  returning delivery.id, delivery.subscriber, delivery.attempts, delivery.position, event.id as event_id, event.type, event.resource_type,
            event.resource_id, event.payload, event.created_at`;

/** Makes an attempt and records its outcome. */
async function recordOutcome(
  db: TenantDatabase,
  claimed: Claimed,
  { observe }: DeliverOptions,
  makeAttempt: () => Promise<void>,
): Promise<void> {
  try {
    await makeAttempt();
    observe({ ...describe(claimed), outcome: 'delivered' });
  } catch (error) {
    const outcome = await recordFailure(db, claimed, error);
    observe({ ...describe(claimed), outcome, error });
  }
}

function describe({ delivery: { subscriber, type, eventId, attempts, createdAt } }: Claimed) {
  return { subscriber, type, eventId, attempts, age: Math.max(0, (Date.now() - Date.parse(createdAt)) / 1000) };
}

/**
 * Calls the subscribers and marks the deliveries in one transaction.
 * @throws the subscriber's error, or Error when the attempt times out or the lease was lost
 */
function attempt(db: TenantDatabase, claimed: readonly Claimed[], around: DeliverOptions['around']): Promise<void> {
  return db.transaction(async (tx) => {
    for (const one of claimed) await around(taskOf(one), async () => one.subscriber.handle(tx, eventOf(one.delivery)));
    await markDelivered(tx, claimed);
  });
}

/** Calls the subscriber, then marks the delivery. @throws as `attempt` */
async function attemptOutsideTransaction(
  db: TenantDatabase,
  claimed: Claimed,
  around: DeliverOptions['around'],
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const error = new Error(`the subscriber took more than ${attemptTimeout / 1000} seconds`);
    timer = setTimeout(() => reject(error), attemptTimeout);
  });
  const { subscriber, delivery } = claimed;
  const handle = async () => subscriber.handle(db, eventOf(delivery));
  try {
    await around(taskOf(claimed), () => Promise.race([handle(), timeout]));
  } finally {
    clearTimeout(timer);
  }
  await markDelivered(db, [claimed]);
}

function taskOf({ subscriber: { name }, delivery: { id: deliveryId, eventId, type, attempts: attempt } }: Claimed) {
  return { name, delivery: { deliveryId, eventId, type, attempt } };
}

function eventOf({ id, eventId, attempts, resourceType, resourceId, ...event }: ClaimedDelivery): DeliveredEvent {
  const { type, payload, createdAt } = event;
  const resource = { type: resourceType, id: resourceId };
  return { id: eventId, type, resource, payload, createdAt, deliveryId: id, attempt: attempts };
}

/** The number of attempts identifies the lease: another replica that claims the delivery increments it. */
async function markDelivered(db: TenantDatabase, claimed: readonly Claimed[]): Promise<void> {
  const marked = await db.query(
    `update event_deliveries set status = 'delivered', error = null, updated_at = now()
      where tenant_id = $1 and id = any($2) and attempts = $3 and status = 'pending' returning id`,
    [claimed.map(({ delivery }) => delivery.id), claimed[0]?.delivery.attempts],
  );
  if (marked.length < claimed.length) throw new Error('the lease expired and another replica has claimed the delivery');
}

async function recordFailure(
  db: TenantDatabase,
  { subscriber: { retries = defaultRetries }, delivery: { id, attempts } }: Claimed,
  error: unknown,
): Promise<DeliveryOutcome> {
  const isDead = attempts >= retries.attempts;
  await db.query(
    `update event_deliveries
        set status = $4, error = $5, next_attempt_at = now() + $6 * interval '1 second', updated_at = now()
      where tenant_id = $1 and id = $2 and attempts = $3 and status = 'pending'`,
    [id, attempts, isDead ? 'dead' : 'pending', errorText(error), secondsUntilRetry(retries, attempts)],
  );
  return isDead ? 'dead' : 'failed';
}

/**
 * Delivering events to subscribers. A delivery is claimed for a while, and its attempt counted, before the subscriber
 * is called: so one that takes the whole process down is not tried without end, and one whose process died is taken
 * up by another replica when that while is over.
 *
 * Of each subscriber and resource only the first that waits is claimed, so a resource's events stay in order: behind
 * one that fails the later ones wait, until it is delivered or dead.
 */
import type { Database } from '../db/database.ts';
import type { TenantDatabase } from '../db/tenant-database.ts';
import type { RunTask } from '../operations/task.ts';
import type { DeliveredEvent, Subscriber } from './subscriber.ts';

const claimedSeconds = 60;
/** Milliseconds; less than the claim lasts, so that two replicas hardly ever call a subscriber at once. */
const longest = 40_000;
/** With the pauses below, the last attempt is about two days after the first. */
export const maxAttempts = 12;

/** Seconds until the next attempt: 5, 20, 80 … at most six hours, and a little more so that not all come at once. */
export function retryDelay(attempts: number): number {
  return Math.round(Math.min(5 * 4 ** (attempts - 1), 6 * 3600) * (1 + Math.random() / 4));
}

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

/** How an attempt ended. */
export type DeliveryOutcome = 'delivered' | 'failed' | 'dead';

/** An attempt that has ended. */
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
  /** Runs each attempt. */
  around: RunTask;
  /** Told of each attempt's end. */
  observe(attempt: DeliveryAttempt): void;
}

/** Transactions are what a delivery costs most: so many are done in one. */
const mostTogether = 100;
/** Calls of other services that a tenant has under way at once. */
const mostCalls = 8;

/**
 * Delivers what is due to the subscribers that work in a transaction. Those that are tried for the first time share
 * one; if it fails, and for what has failed before, each has its own. Answers how many deliveries there were.
 */
export async function deliverInTransaction(
  database: Database,
  tenantId: string,
  options: DeliverOptions,
): Promise<number> {
  const subscribers = options.subscribers.filter(({ outsideTransaction }) => !outsideTransaction);
  const claimed = await claimDue(database.forTenant(tenantId), subscribers, mostTogether);
  const db = () => database.forTenant(tenantId, null, performance.now() + longest);
  const fresh = claimed.filter(({ delivery }) => delivery.attempts === 1);
  const shared = fresh.length > 1 && (await attempt(db(), fresh, options.around).then(...succeeded));
  if (shared) for (const one of fresh) options.observe({ ...aboutOf(one), outcome: 'delivered' });
  for (const one of claimed) {
    if (shared && fresh.includes(one)) continue;
    await keepEnd(database.forTenant(tenantId), one, options, () => attempt(db(), [one], options.around));
  }
  return claimed.length;
}

/** Delivers what is due to the subscribers that work in steps, side by side. Answers how many deliveries there were. */
export async function deliverOutsideTransaction(
  database: Database,
  tenantId: string,
  options: DeliverOptions,
): Promise<number> {
  const db = database.forTenant(tenantId);
  const subscribers = options.subscribers.filter(({ outsideTransaction }) => outsideTransaction);
  const claimed = await claimDue(db, subscribers, mostCalls);
  await Promise.all(
    claimed.map((one) => keepEnd(db, one, options, () => attemptOutsideTransaction(db, one, options.around))),
  );
  return claimed.length;
}

interface Claimed {
  subscriber: Subscriber;
  delivery: ClaimedDelivery;
}

const succeeded = [() => true, () => false] as const;

/**
 * Claims deliveries that are due, the first of each line. A subscriber that this box does not have (of a package that
 * left) keeps its deliveries waiting.
 */
async function claimDue(db: TenantDatabase, subscribers: readonly Subscriber[], limit: number): Promise<Claimed[]> {
  if (subscribers.length === 0) return [];
  const deliveries = await db.query<ClaimedDelivery>(claim, [subscribers.map(({ name }) => name), limit]);
  return deliveries
    .map((delivery) => {
      const subscriber = subscribers.find(({ name }) => name === delivery.subscriber) as Subscriber;
      return { subscriber, delivery };
    })
    .sort((one, other) => one.delivery.position - other.delivery.position);
}

const claim = `
  with first as (
    select id from event_deliveries waiting
     where tenant_id = $1 and status = 'pending' and next_attempt_at <= now() and subscriber = any($2)
       and not exists (
             select from event_deliveries earlier
              where earlier.tenant_id = $1 and earlier.status = 'pending'
                and earlier.subscriber = waiting.subscriber and earlier.resource_id = waiting.resource_id
                and (earlier.position, earlier.id) < (waiting.position, waiting.id))
     order by position, id limit $3
       for update skip locked
  )
  update event_deliveries delivery
     set attempts = attempts + 1, next_attempt_at = now() + interval '${claimedSeconds} seconds', updated_at = now()
    from event_outbox event
   where delivery.tenant_id = $1 and delivery.id in (select id from first)
     and event.tenant_id = $1 and event.id = delivery.event_id
  returning delivery.id, delivery.subscriber, delivery.attempts, delivery.position, event.id as event_id, event.type, event.resource_type,
            event.resource_id, event.payload, event.created_at`;

/** Makes an attempt, and keeps how it ended. */
async function keepEnd(
  db: TenantDatabase,
  claimed: Claimed,
  { observe }: DeliverOptions,
  make: () => Promise<void>,
): Promise<void> {
  try {
    await make();
    observe({ ...aboutOf(claimed), outcome: 'delivered' });
  } catch (error) {
    const outcome = await keepFailure(db, claimed.delivery, error);
    observe({ ...aboutOf(claimed), outcome, error });
  }
}

function aboutOf({ delivery: { subscriber, type, eventId, attempts, createdAt } }: Claimed) {
  return { subscriber, type, eventId, attempts, age: Math.max(0, (Date.now() - Date.parse(createdAt)) / 1000) };
}

/** Work and record in one transaction. @throws what a subscriber throws, and when its claim or time is over */
function attempt(db: TenantDatabase, claimed: readonly Claimed[], around: DeliverOptions['around']): Promise<void> {
  return db.transaction(async (tx) => {
    for (const one of claimed) await around(taskOf(one), async () => one.subscriber.handle(tx, eventOf(one.delivery)));
    await markDelivered(tx, claimed);
  });
}

/** The work, and its record once it is done. @throws as `attempt` */
async function attemptOutsideTransaction(
  db: TenantDatabase,
  claimed: Claimed,
  around: DeliverOptions['around'],
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took more than ${longest / 1000} seconds`)), longest);
  });
  const { subscriber, delivery } = claimed;
  const handle = async () => subscriber.handle(db, eventOf(delivery));
  try {
    await around(taskOf(claimed), () => Promise.race([handle(), late]));
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

/** The number of the attempt is what the claim is known by: another replica's claim has counted on. */
async function markDelivered(db: TenantDatabase, claimed: readonly Claimed[]): Promise<void> {
  const marked = await db.query(
    `update event_deliveries set status = 'delivered', error = null, updated_at = now()
      where tenant_id = $1 and id = any($2) and attempts = $3 and status = 'pending' returning id`,
    [claimed.map(({ delivery }) => delivery.id), claimed[0]?.delivery.attempts],
  );
  if (marked.length < claimed.length) throw new Error('another replica has taken the delivery over');
}

async function keepFailure(
  db: TenantDatabase,
  { id, attempts }: ClaimedDelivery,
  error: unknown,
): Promise<DeliveryOutcome> {
  const isDead = attempts >= maxAttempts;
  const message = (error instanceof Error ? error.message : String(error)).slice(0, 1000);
  await db.query(
    `update event_deliveries
        set status = $4, error = $5, next_attempt_at = now() + $6 * interval '1 second', updated_at = now()
      where tenant_id = $1 and id = $2 and attempts = $3 and status = 'pending'`,
    [id, attempts, isDead ? 'dead' : 'pending', message, retryDelay(attempts)],
  );
  return isDead ? 'dead' : 'failed';
}

/**
 * Queries of the work on deliveries: events become deliveries, which replicas lease. What there is to do is in the
 * database, so that a crash loses nothing: a lease ends by itself.
 */
import {
  type Attempt,
  attemptOf,
  type BackOff,
  leaseSeconds,
  newId,
  type Sent,
  secondsUntilRetry,
  selectDue,
} from '@carton/runtime/service';
import type { Knex } from 'knex';
import { type EventRow, eventColumns, recordEvent } from '../events/outbox.ts';
import { webhookDisabled, webhookTest } from '../events/types.ts';

/** Key of the advisory lock under which events are dispatched: by one replica at a time, in their order. */
export const dispatchLock = 7_041_776_002;
const eventsPerBatch = 500;
/** Deliveries of a webhook that are leased, and sent, together: of different resources. */
const batchSize = 4;
export const backOff: BackOff = { first: 5, factor: 4, most: 7_200 };
/** Hours after the first attempt from which a failure is the last one. */
export const retryHours = 72;

/**
 * Turns events into deliveries to the webhooks that were there and want them, disabled ones included. The ids of deliveries
 * begin as those of their events (UUID version 7), so that lists have those of one batch in the order of the events.
 * @returns how many events
 */
export function dispatchEvents(db: Knex): Promise<number> {
  return db.transaction(async (transaction) => {
    const { rows: locks } = await transaction.raw('select pg_try_advisory_xact_lock(?) as got', [dispatchLock]);
    if (!locks[0].got) return 0;
    const { rows } = await transaction.raw(
      `with batch as (
         select id, type, resource_id, position, created_at from events
          where dispatched_at is null order by position limit ${eventsPerBatch}),
       made as (
         insert into webhook_deliveries (id, webhook_id, event_id, resource_id, position)
         select overlay(gen_random_uuid()::text placing left(batch.id::text, 18) from 1)::uuid, webhooks.id, batch.id,
                batch.resource_id, batch.position
           from batch
           join webhooks on webhooks.created_at <= batch.created_at
          where batch.type <> ? and (webhooks.event_types is null or batch.type = any(webhooks.event_types))
          order by batch.position
         on conflict (webhook_id, event_id) do nothing)
       update events set dispatched_at = now() from batch where events.id = batch.id returning events.id`,
      [webhookTest.type],
    );
    return rows.length;
  });
}

/** The webhooks that events are sent to. */
export function listEnabled(db: Knex): Promise<{ id: string; url: string }[]> {
  return db('webhooks').whereNull('disabledAt').select('id', 'url');
}

/** A delivery that this replica works on. */
export interface LeasedDelivery extends EventRow {
  deliveryId: string;
  webhookId: string;
  lease: string;
  url: string;
  /** As stored. The second one, null if there is none, signs too. */
  secret: string;
  formerSecret: string | null;
}

/**
 * Leases deliveries of a webhook that are due: for each resource the one of its earliest event, and none while that one is
 * leased or waits for its next attempt.
 */
export async function leaseDeliveries(transaction: Knex.Transaction, webhookId: string): Promise<LeasedDelivery[]> {
  const lease = newId();
  const { rows } = await transaction.raw(
    `with chosen as (${selectDue({
      table: 'webhook_deliveries',
      key: 'id',
      waiting: (row) => `${row}.webhook_id = :webhookId and ${row}.state = 'pending'`,
      where: 'exists (select from webhooks where webhooks.id = due.webhook_id and disabled_at is null)',
      leasedUntil: 'leased_until',
      inOrder: ['resource_id'],
      order: 'due.next_attempt_at, due.position',
      limit: batchSize,
    })})
     update webhook_deliveries set lease = :lease, leased_until = now() + interval '${leaseSeconds} seconds',
            first_attempt_at = coalesce(first_attempt_at, now())
       from chosen where webhook_deliveries.id = chosen.id
     returning webhook_deliveries.id`,
    { webhookId, lease },
  );
  if (rows.length === 0) return [];
  return transaction('webhook_deliveries')
    .join('events', 'events.id', 'webhook_deliveries.eventId')
    .join('webhooks', 'webhooks.id', 'webhook_deliveries.webhookId')
    .whereIn(
      'webhook_deliveries.id',
      rows.map(({ id }: { id: string }) => id),
    )
    .where({ lease })
    .orderBy('webhook_deliveries.position')
    .select(
      ...eventColumns,
      'webhook_deliveries.id as deliveryId',
      'webhookId',
      'lease',
      'url',
      'secret',
      transaction.raw('case when former_secret_until > now() then former_secret end as former_secret'),
    );
}

/** Ends the lease of a delivery that was not attempted. */
export async function releaseDelivery(db: Knex, { deliveryId, lease }: LeasedDelivery): Promise<void> {
  await db('webhook_deliveries').where({ id: deliveryId, lease }).update({ lease: null, leasedUntil: null });
}

/** What an attempt has led to. */
export type Outcome = 'delivered' | 'failed' | 'dead' | 'gone' | 'failing';

/**
 * Stores an attempt and what follows from it. A webhook to which nothing could be delivered for as long as a delivery is
 * tried is disabled, and its deliveries wait; if others could, the delivery is given up.
 */
export function storeAttempt(db: Knex, leased: LeasedDelivery, sent: Sent): Promise<Outcome> {
  const attempt = attemptOf(sent);
  const { deliveryId: id, webhookId, lease } = leased;
  const isDelivered = attempt.status !== null && attempt.status >= 200 && attempt.status < 300;
  return db.transaction(async (transaction) => {
    // The webhook first, as changes of it do: so nobody waits for each other.
    const [webhook] = await transaction('webhooks')
      .where({ id: webhookId })
      .update(
        isDelivered
          ? { failingSince: null, lastDeliveredAt: transaction.fn.now() }
          : { failingSince: transaction.raw('coalesce(failing_since, now())') },
      )
      .returning(['lastDeliveredAt']);
    const delivery = await transaction('webhook_deliveries')
      .where({ id, lease })
      .forUpdate()
      .first('failures', 'firstAttemptAt', transaction.raw(`${triedLongEnough} as is_last`));
    // Deleted, or another replica's: the lease has ended.
    if (!webhook || !delivery) return isDelivered ? 'delivered' : 'failed';
    await transaction('webhook_attempts').insert({ id: newId(), deliveryId: id, ...attempt });
    const outcome = outcomeOf(attempt, isDelivered, delivery, webhook.lastDeliveredAt);
    await transaction('webhook_deliveries')
      .where({ id })
      .update({
        lease: null,
        leasedUntil: null,
        ...changeAfter(transaction, outcome, delivery.failures + 1, sent.retryAfter),
      });
    if (outcome === 'gone' || outcome === 'failing') await disable(transaction, webhookId, outcome);
    return outcome;
  });
}

const triedLongEnough = `first_attempt_at <= now() - interval '${retryHours} hours'`;

function outcomeOf(
  { status }: Attempt,
  isDelivered: boolean,
  { firstAttemptAt, isLast }: { firstAttemptAt: string; isLast: boolean },
  lastDeliveredAt: string | null,
): Outcome {
  if (isDelivered) return 'delivered';
  if (status === 410) return 'gone';
  if (!isLast) return 'failed';
  return lastDeliveredAt === null || lastDeliveredAt < firstAttemptAt ? 'failing' : 'dead';
}

function changeAfter(transaction: Knex.Transaction, outcome: Outcome, failures: number, retryAfter: number) {
  if (outcome === 'delivered' || outcome === 'dead') return { state: outcome, finishedAt: transaction.fn.now() };
  return {
    failures,
    nextAttemptAt: transaction.raw('now() + make_interval(secs => ?)', [
      secondsUntilRetry(backOff, failures, retryAfter),
    ]),
  };
}

/** Disables a webhook, with an event for the others. */
async function disable(transaction: Knex.Transaction, id: string, reason: 'gone' | 'failing'): Promise<void> {
  const changed = await transaction('webhooks')
    .where({ id })
    .whereNull('disabledAt')
    .update({ disabledAt: transaction.fn.now(), disabledReason: reason });
  if (changed === 0) return;
  await recordEvent(transaction, webhookDisabled, { resource: 'webhook', id, customerId: null }, { reason });
}

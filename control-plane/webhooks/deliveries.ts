/**
 * Queries of deliveries, for those who read and repeat them.
 */
import { invalidRequest, newId, notFound, type Page, paginate } from '@carton/runtime/service';
import type { Knex } from 'knex';
import { recordEvent, selectEvents } from '../events/outbox.ts';
import { webhookTest } from '../events/types.ts';
import { webhookDisabled } from './problems.ts';
import type { WebhookAttempt, WebhookDelivery } from './schemas.ts';
import { holdWebhook } from './store.ts';

/** Days for which finished deliveries are kept, with their attempts. */
export const deliveryDays = 30;
const mostReplayed = 10_000;
const mostAttempts = 100;

interface DeliveryRow extends Omit<WebhookDelivery, 'resource'> {
  resourceType: string;
  resourceId: string;
}

const columns = (db: Knex) => [
  ...['id', 'eventId', 'state', 'failures', 'finishedAt', 'createdAt'].map((name) => `webhookDeliveries.${name}`),
  ...['type', 'resourceType', 'resourceId'].map((name) => `events.${name}`),
  db.raw("case when state = 'pending' then next_attempt_at end as next_attempt_at"),
];

function shown({ resourceType, resourceId, ...rest }: DeliveryRow): WebhookDelivery {
  return { ...rest, resource: { type: resourceType, id: resourceId } };
}

const select = (db: Knex) =>
  db('webhook_deliveries').join('events', 'events.id', 'webhook_deliveries.eventId').select(columns(db));

/** Reads a page of the deliveries of a webhook, newest first. */
export async function listDeliveries(
  db: Knex,
  webhookId: string,
  { state, ...page }: { limit: number; cursor?: string; state?: string },
): Promise<Page<WebhookDelivery>> {
  const query = select(db).where({ webhookId });
  if (state !== undefined) query.where({ state });
  const { items, nextCursor } = await paginate<DeliveryRow>(query as never, 'webhook_deliveries', page);
  return { items: items.map(shown), nextCursor };
}

/** @throws not_found (404) */
export async function findDelivery(db: Knex, webhookId: string, id: string): Promise<WebhookDelivery> {
  const row = await select(db).where({ webhookId, 'webhookDeliveries.id': id }).first();
  if (!row) throw notFound(`The webhook has no delivery with the id ${id}.`);
  return shown(row);
}

/** The last attempts of a delivery, newest first. */
export function listAttempts(db: Knex, deliveryId: string): Promise<WebhookAttempt[]> {
  return db('webhook_attempts')
    .where({ deliveryId })
    .orderBy([
      { column: 'createdAt', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .limit(mostAttempts)
    .select('id', 'status', 'error', 'responseStart', 'milliseconds', 'createdAt');
}

/** What makes a delivery pending, with all attempts before it. */
const again = (db: Knex) => ({
  state: 'pending',
  failures: 0,
  firstAttemptAt: null,
  nextAttemptAt: db.fn.now(),
  lease: null,
  leasedUntil: null,
  finishedAt: null,
});

/**
 * Sends an event again, with the same `webhook-id`; a pending one at once.
 * @throws not_found (404)
 */
export async function redeliver(
  transaction: Knex.Transaction,
  webhookId: string,
  id: string,
): Promise<WebhookDelivery> {
  await transaction('webhook_deliveries').where({ webhookId, id }).update(again(transaction));
  return findDelivery(transaction, webhookId, id);
}

/**
 * Sends the events of a time again, or for the first time to a webhook that is younger; only of the types it has now.
 * @throws not_found (404), invalid_request (400) for more than 10,000 events
 */
export async function replay(
  transaction: Knex.Transaction,
  id: string,
  range: { from: string; to: string },
): Promise<number> {
  const { eventTypes } = await holdWebhook(transaction, id);
  const events = selectEvents(transaction, range)
    .whereNot({ type: webhookTest.type })
    .limit(mostReplayed + 1)
    .select('id', 'resourceId', 'position');
  if (eventTypes !== null) events.whereIn('type', eventTypes);
  const found: { id: string; resourceId: string; position: number }[] = await events;
  if (found.length > mostReplayed) {
    const detail = `must be less than ${mostReplayed} events after /from`;
    throw invalidRequest(`body /to: ${detail}`, { errors: [{ in: 'body', pointer: '/to', detail }] });
  }
  for (let from = 0; from < found.length; from += 1000) {
    const rows = found.slice(from, from + 1000).map(({ id: eventId, resourceId, position }) => ({
      id: newId(),
      webhookId: id,
      eventId,
      resourceId,
      position,
    }));
    await transaction('webhook_deliveries').insert(rows).onConflict(['webhookId', 'eventId']).merge(again(transaction));
  }
  return found.length;
}

/**
 * Sends a test event to one webhook.
 * @throws not_found (404), webhook_disabled (409)
 */
export async function sendTest(transaction: Knex.Transaction, id: string): Promise<WebhookDelivery> {
  const { disabled } = await holdWebhook(transaction, id);
  if (disabled) throw webhookDisabled('Enable it first.');
  const eventId = await recordEvent(transaction, webhookTest, { resource: 'webhook', id, customerId: null }, {});
  const [event] = await transaction('events')
    .where({ id: eventId })
    .update({ dispatchedAt: transaction.fn.now() })
    .returning('position');
  const deliveryId = newId();
  const { position } = event as { position: number };
  await transaction('webhook_deliveries').insert({ id: deliveryId, webhookId: id, eventId, resourceId: id, position });
  return findDelivery(transaction, id, deliveryId);
}

/** Removes deliveries that finished more than `deliveryDays` ago. Returns how many. */
export function removeOldDeliveries(db: Knex): Promise<number> {
  return db('webhook_deliveries')
    .whereNot({ state: 'pending' })
    .whereRaw(`finished_at < now() - interval '${deliveryDays} days'`)
    .delete();
}

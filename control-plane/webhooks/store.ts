/**
 * Queries of webhooks.
 */
import { generateSecret, newId, notFound, type Page, paginate } from '@carton/runtime/service';
import type { Knex } from 'knex';
import type { Encryption } from '../encryption.ts';
import type { Webhook } from './schemas.ts';

const columns = (db: Knex) => [
  ...['id', 'url', 'label', 'eventTypes', 'disabledAt', 'disabledReason', 'failingSince', 'lastDeliveredAt'],
  'createdAt',
  db.raw('disabled_at is not null as disabled'),
  db.raw('case when former_secret_until > now() then former_secret_until end as former_secret_until'),
  db.raw(`(select count(*)::integer from webhook_deliveries
            where webhook_id = webhooks.id and webhook_deliveries.state = 'pending') as pending`),
];

export interface WebhookTerms {
  url: string;
  label: string | null;
  eventTypes: string[] | null;
}

export type WebhookWithSecret = Webhook & { secret: string };

/** Stores a webhook with a new secret, which only the result shows. */
export async function insertWebhook(
  db: Knex,
  encryption: Encryption,
  terms: Partial<WebhookTerms>,
): Promise<WebhookWithSecret> {
  const [id, secret] = [newId(), generateSecret()];
  await db('webhooks').insert({ id, ...terms, secret: encryption.encrypt(secret, id) });
  return { ...(await findWebhook(db, id)), secret };
}

/** @throws not_found (404) */
export async function findWebhook(db: Knex, id: string): Promise<Webhook> {
  const row = await db('webhooks').where({ id }).first(columns(db));
  if (!row) throw missing(id);
  return row;
}

/**
 * Reads a webhook that gets deliveries in the same transaction: it is not deleted before that ends.
 * @throws not_found (404)
 */
export async function holdWebhook(transaction: Knex.Transaction, id: string): Promise<Webhook> {
  await transaction('webhooks').where({ id }).forKeyShare().first('id');
  return findWebhook(transaction, id);
}

function missing(id: string) {
  return notFound(`There is no webhook with the id ${id}.`);
}

/** Reads a page of webhooks, newest first. */
export function listWebhooks(db: Knex, page: { limit: number; cursor?: string }): Promise<Page<Webhook>> {
  return paginate<Webhook>(db('webhooks').select(columns(db)) as never, 'webhooks', page);
}

/**
 * Changes a webhook. One that is enabled again gets what has waited, in its order and with all attempts.
 * @throws not_found (404)
 */
export async function updateWebhook(
  transaction: Knex.Transaction,
  id: string,
  { disabled, ...change }: Partial<WebhookTerms> & { disabled?: boolean },
): Promise<Webhook> {
  const locked = await transaction('webhooks').where({ id }).forNoKeyUpdate().first('disabledAt');
  if (!locked) throw missing(id);
  const isDisabled = locked.disabledAt !== null;
  const isSwitched = disabled !== undefined && disabled !== isDisabled;
  const changes = {
    ...change,
    ...(isSwitched && {
      disabledAt: disabled ? transaction.fn.now() : null,
      disabledReason: disabled ? 'administrator' : null,
      failingSince: null,
    }),
  };
  if (Object.keys(changes).length > 0) await transaction('webhooks').where({ id }).update(changes);
  if (isSwitched && !disabled) {
    await transaction('webhook_deliveries')
      .where({ webhookId: id, state: 'pending' })
      .update({ failures: 0, firstAttemptAt: null, nextAttemptAt: transaction.fn.now() });
  }
  return findWebhook(transaction, id);
}

/**
 * Deletes a webhook with its deliveries.
 * @throws not_found (404)
 */
export async function deleteWebhook(db: Knex, id: string): Promise<void> {
  if ((await db('webhooks').where({ id }).delete()) === 0) throw missing(id);
}

/**
 * Gives a webhook a new secret. The one before it signs too for the overlap, earlier ones end.
 * @throws not_found (404)
 */
export async function replaceSecret(
  transaction: Knex.Transaction,
  encryption: Encryption,
  id: string,
  overlapHours: number,
): Promise<WebhookWithSecret> {
  const row = await transaction('webhooks').where({ id }).forNoKeyUpdate().first('secret');
  if (!row) throw missing(id);
  const secret = generateSecret();
  const until = transaction.raw('now() + make_interval(hours => ?)', [overlapHours]);
  await transaction('webhooks')
    .where({ id })
    .update({
      secret: encryption.encrypt(secret, id),
      formerSecret: overlapHours === 0 ? null : row.secret,
      formerSecretUntil: overlapHours === 0 ? null : until,
    });
  return { ...(await findWebhook(transaction, id)), secret };
}

/**
 * Queries of the last attempts to check out carts.
 */
import { insertEvent, type outboxRow, type TenantDatabase } from '@carton/runtime';
import { checkoutCompleted } from './events.ts';
import { newSecret, withGuest } from './guests/store.ts';

const insertAttempt = `
    insert into checkout_attempts as attempt (tenant_id, cart_id, status, order_id)
    values ($1, $2, 'completed', $3)
    on conflict (tenant_id, cart_id) do update
       set status = 'completed', code = null, order_id = excluded.order_id, attempts = attempt.attempts + 1,
           updated_at = now()`;
const insertCompletedEvent = insertEvent({
  ...{ id: '$4', type: `'${checkoutCompleted.type}'`, payload: '$5' },
  ...{ resourceType: "'cart'", resourceId: '$2' },
});

/** Attempt and event in one statement. */
const insertCompleted = `
  with attempt as (${insertAttempt}
  )
  ${insertCompletedEvent}`;

/** Attempt, event and the guest of the order in one statement. */
const insertCompletedByGuest = withGuest(
  `
  attempt as (${insertAttempt}
  ),
  event as (
    ${insertCompletedEvent}
  )`,
  { order: '$3', block: '$6', created: '$7' },
);

/** What is stored of a cart that has become an order. */
interface Completed {
  cartId: string;
  orderId: string;
  event: ReturnType<typeof outboxRow>;
}

/** Stores that a cart has become an order, with the event of this. */
export async function upsertCompleted(tx: TenantDatabase, { cartId, orderId, event }: Completed): Promise<void> {
  await tx.query(insertCompleted, [cartId, orderId, event.id, event.payload]);
}

/**
 * Stores that a cart has become the order of a guest, with the event of this.
 * @param block of addresses, to which the client belongs; null if others may share it
 */
export async function upsertCompletedByGuest(
  tx: TenantDatabase,
  { cartId, orderId, event }: Completed,
  block: string | null,
): Promise<void> {
  await tx.query(insertCompletedByGuest, [cartId, orderId, event.id, event.payload, block, newSecret()]);
}

/** Locks the last attempt of a cart, until the transaction ends; null if there was none. */
export async function lockAttempt(tx: TenantDatabase, cartId: string): Promise<{ code: string | null } | null> {
  const [attempt] = await tx.query<{ code: string | null }>(
    'select code from checkout_attempts where tenant_id = $1 and cart_id = $2 for update',
    [cartId],
  );
  return attempt ?? null;
}

/** Stores that an attempt has failed; false if the cart has become an order. @param code of the problem */
export async function upsertFailed(tx: TenantDatabase, cartId: string, code: string): Promise<boolean> {
  const failed = await tx.query(
    `insert into checkout_attempts as attempt (tenant_id, cart_id, status, code) values ($1, $2, 'failed', $3)
     on conflict (tenant_id, cart_id) do update
        set code = excluded.code, attempts = attempt.attempts + 1, updated_at = now()
      where attempt.status = 'failed'
     returning cart_id`,
    [cartId, code],
  );
  return failed.length > 0;
}

export async function deleteAttempts(tx: TenantDatabase, cartIds: readonly string[]): Promise<void> {
  await tx.query('delete from checkout_attempts where tenant_id = $1 and cart_id = any($2::uuid[])', [cartIds]);
}

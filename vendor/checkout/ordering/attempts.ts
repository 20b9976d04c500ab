/**
 * Records the outcome of a cart's last checkout attempt. A cart has one row, so that endless retries only increment a
 * counter.
 */
import { insertEvent, outboxRow, publish, type TenantDatabase } from '@carton/runtime';
import { checkoutCompleted, checkoutFailed } from '../events.ts';
import type { DraftToWrite } from '../steps.ts';

const cartReference = (id: string) => ({ type: 'cart', id });

/** Record and event in one statement. */
const insertCompleted = `
  with attempt as (
    insert into checkout_attempts as attempt (tenant_id, cart_id, status, order_id)
    values ($1, $2, 'completed', $3)
    on conflict (tenant_id, cart_id) do update
       set status = 'completed', code = null, order_id = excluded.order_id, attempts = attempt.attempts + 1,
           updated_at = now()
  )
  ${insertEvent({ id: '$4', type: `'${checkoutCompleted.type}'`, resourceType: "'cart'", resourceId: '$2', payload: '$5' })}`;

/** Records a completed checkout in the order's transaction, after the order's row. */
export async function recordCompleted(
  tx: TenantDatabase,
  cartId: string,
  { id: orderId, number, currency, totals }: DraftToWrite,
): Promise<void> {
  const payload = { orderId, number, currency, totalAmount: totals.total };
  const event = outboxRow(tx, checkoutCompleted, cartReference(cartId), payload);
  await tx.query(insertCompleted, [cartId, orderId, event.id, event.payload]);
}

interface Attempt {
  status: 'completed' | 'failed';
  code: string | null;
}

/**
 * Records a failed checkout in its own transaction, after the order's was rolled back. Publishes the event if the code
 * differs from the previous failure. A cart that has become an order in the meantime keeps that outcome.
 */
export async function recordFailed(db: TenantDatabase, cartId: string, code: string): Promise<void> {
  await db.transaction(async (tx) => {
    const [before] = await tx.query<Attempt>(
      'select status, code from checkout_attempts where tenant_id = $1 and cart_id = $2 for update',
      [cartId],
    );
    const [failed] = await tx.query(
      `insert into checkout_attempts as attempt (tenant_id, cart_id, status, code) values ($1, $2, 'failed', $3)
       on conflict (tenant_id, cart_id) do update
          set code = excluded.code, attempts = attempt.attempts + 1, updated_at = now()
        where attempt.status = 'failed'
       returning cart_id`,
      [cartId, code],
    );
    if (failed && before?.code !== code) await publish(tx, checkoutFailed, cartReference(cartId), { code });
  });
}

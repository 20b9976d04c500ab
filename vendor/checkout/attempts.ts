/**
 * Records of checkouts: how the last attempt of a cart ended. A cart has one row, so that a client that tries without
 * end adds nothing but to a counter.
 */
import { insertEvent, outboxRow, publish, type TenantDatabase } from '@carton/runtime';
import { checkoutCompleted, checkoutFailed } from './events.ts';
import type { DraftToWrite } from './placing.ts';

const cartOf = (id: string) => ({ type: 'cart', id });

/** Record and event in one statement: a checkout has one more than it would have without. */
const insertCompleted = `
  with attempt as (
    insert into checkout_attempts as attempt (tenant_id, cart_id, status, order_id)
    values ($1, $2, 'completed', $3)
    on conflict (tenant_id, cart_id) do update
       set status = 'completed', code = null, order_id = excluded.order_id, attempts = attempt.attempts + 1,
           updated_at = now()
  )
  ${insertEvent({ id: '$4', type: `'${checkoutCompleted.type}'`, resourceType: "'cart'", resourceId: '$2', payload: '$5' })}`;

/** Records the checkout that placed an order, in the order's transaction, after its row. */
export async function recordCompleted(
  tx: TenantDatabase,
  cartId: string,
  { id: orderId, number, currency, totals }: DraftToWrite,
): Promise<void> {
  const placed = { orderId, number, currency, totalAmount: totals.total };
  const event = outboxRow(tx, checkoutCompleted, cartOf(cartId), placed);
  await tx.query(insertCompleted, [cartId, orderId, event.id, event.payload]);
}

interface Attempt {
  status: 'completed' | 'failed';
  code: string | null;
}

/**
 * Records a checkout that was refused, in a transaction of its own, once that of the order is undone. The event is
 * written when the reason is another than the time before. What has become an order meanwhile stays so.
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
    if (failed && before?.code !== code) await publish(tx, checkoutFailed, cartOf(cartId), { code });
  });
}

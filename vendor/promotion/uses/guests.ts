/**
 * A guest's uses of promotions become those of the member who verifies the e-mail address, as the orders do.
 */
import type { EmailProofStep } from '@carton/runtime';

/**
 * Counts the uses under the address for the member, in the transaction that assigns the orders. The sum may exceed a
 * limit per customer, which applies to later orders only. Uses of an order that is being placed stay with the address,
 * like that order. A canceled order returns its use to whom it is counted for, so uses are locked before counts here,
 * as when an order is canceled.
 */
export const moveUses: EmailProofStep = async (tx, { memberId, email }) => {
  const guestKey = email.toLowerCase();
  const moved = await tx.query<{ promotionId: string; uses: number }>(
    `with moved as (
       update promotion_usages set customer_key = $2 where tenant_id = $1 and customer_key = $3
       returning promotion_id, returned_at
     )
     select promotion_id, (count(*) filter (where returned_at is null))::integer as uses
       from moved group by promotion_id order by promotion_id`,
    [memberId, guestKey],
  );
  if (moved.length === 0) return;
  const counts = [moved.map(({ promotionId }) => promotionId), moved.map(({ uses }) => uses)];
  await tx.query(
    `insert into promotion_customers as customers (tenant_id, promotion_id, customer_key, uses)
     select $1, promotion_id, $4, uses from unnest($2::uuid[], $3::integer[]) as moved (promotion_id, uses)
      order by promotion_id
     on conflict (tenant_id, promotion_id, customer_key) do update set uses = customers.uses + excluded.uses`,
    [...counts, memberId],
  );
  await tx.query(
    `update promotion_customers customers set uses = customers.uses - moved.uses
       from unnest($2::uuid[], $3::integer[]) as moved (promotion_id, uses)
      where customers.tenant_id = $1 and customers.promotion_id = moved.promotion_id and customer_key = $4`,
    [...counts, guestKey],
  );
  await tx.query('delete from promotion_customers where tenant_id = $1 and customer_key = $2 and uses = 0', [guestKey]);
};

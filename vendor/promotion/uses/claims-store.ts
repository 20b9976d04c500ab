/**
 * Claiming the uses of an order, in one statement over all its promotions.
 *
 * The statement locks the promotions, then their codes, then the counts of the customer, and each by promotion: the order of
 * store.ts. Parts of a statement that write run in no order of their own, so each lock depends on what is claimed before it.
 *
 * All that decides is read from locked rows, which are the newest; other reads are of the statement's snapshot, which may be
 * older. A key share lock ignores what orders count meanwhile, but not what staff set, who lock for update.
 */
import { insertEvent, keepsReferenceData, newId, type outboxRow, type TenantDatabase } from '@carton/runtime';
import { codeKey } from '../codes/text.ts';
import { promotionUsed } from '../events.ts';

/** A use of a promotion by an order. */
export interface Use {
  promotionId: string;
  /** The code; null for an automatic promotion. */
  code: string | null;
  /** Minor units, above zero. */
  amount: number;
}

/**
 * Claims the codes, if the order has any, once the promotions are claimed. Codes are deleted with their promotion only, and
 * their limits never change.
 */
const claimCodes = `entered as materialized (
    select codes.id, codes.max_uses is not null as is_limited
      from uses
      join held on held.id = uses.promotion_id and held.has_codes
      join promotion_codes codes
        on codes.tenant_id = $1 and codes.code_key = any($4::text[]) and codes.code_key = uses.code_key
           and codes.promotion_id = uses.promotion_id
     where (select are_claimed from promotions_verdict)
  ),
  limited_codes as materialized (
    select id, claimed, max_uses
      from promotion_codes
     where tenant_id = $1 and id = any(array(select id from entered where is_limited))
     order by promotion_id
       for no key update
  ),
  claimed_codes as (
    update promotion_codes codes set claimed = limited_codes.claimed + 1
      from limited_codes
     where codes.tenant_id = $1 and codes.id = any(array(select id from entered)) and codes.id = limited_codes.id
       and limited_codes.claimed < limited_codes.max_uses
    returning 1
  ),
  codes_verdict as (
    select (select are_claimed from promotions_verdict)
           and (select count(*) from entered) = (select count(code_key) from uses)
           and (select count(*) from claimed_codes) = (select count(*) from entered where is_limited) as are_claimed
  ),`;

/**
 * `held` keeps staff from setting a limit until the transaction ends, so that each use is counted by it: by `countUses` or
 * by this claim. It keeps no other order waiting; only what has a limit is locked against them (`limited`).
 *
 * The redundant `any(…)` conditions make even plans made while the tables were empty use the keys.
 * @param verdict the part that tells whether all promotions and codes are claimed
 */
const claimText = (codes: string, verdict: string) =>
  keepsReferenceData(`
  with uses as (
    select * from unnest($2::uuid[], $3::text[], $4::text[], $5::bigint[], $6::uuid[], $7::uuid[], $8::jsonb[])
                  as use (promotion_id, code, code_key, amount, id, event_id, payload)
  ),
  held as materialized (
    select id, max_uses is not null as is_limited, deleted_at is null as has_codes,
           least(max_uses_per_customer, case when (rules ->> 'firstOrder')::boolean then 1 end) as max_of_customer
      from promotions
     where tenant_id = $1 and id = any($2::uuid[])
     order by id
       for key share
  ),
  limited as materialized (
    select id, claimed, max_uses
      from promotions
     where tenant_id = $1 and id = any(array(select id from held where is_limited))
     order by id
       for no key update
  ),
  claimed_promotions as (
    update promotions set claimed = limited.claimed + 1
      from limited
     where promotions.tenant_id = $1 and promotions.id = any($2::uuid[]) and promotions.id = limited.id
       and limited.claimed < limited.max_uses
    returning 1
  ),
  promotions_verdict as (
    select (select count(*) from held) = cardinality($2::uuid[])
           and (select count(*) from claimed_promotions) = (select count(*) from limited) as are_claimed
  ),
  ${codes}
  claimed_customers as (
    insert into promotion_customers as customers (tenant_id, promotion_id, customer_key, uses, max_uses)
    select $1, id, $10, 1, max_of_customer
      from held
     where $10::text is not null and (select are_claimed from ${verdict})
     order by id
    on conflict (tenant_id, promotion_id, customer_key) do update
       set uses = customers.uses + 1, max_uses = excluded.max_uses
     where excluded.max_uses is null or customers.uses < excluded.max_uses
    returning 1
  ),
  used as (
    insert into promotion_usages (tenant_id, id, promotion_id, order_id, code, code_key, amount, currency, customer_key)
    select $1, id, promotion_id, $9, code, code_key, amount, $11, $10 from uses
  ),
  published as (${insertEvent(
    {
      id: 'event_id',
      type: `'${promotionUsed.type}'`,
      resourceType: "'promotion'",
      resourceId: 'promotion_id',
      payload: 'payload',
    },
    'from uses',
  )})
  select (select are_claimed from ${verdict})
         and ($10::text is null or (select count(*) from claimed_customers) = cardinality($2::uuid[])) as are_claimed`);

const withCodes = claimText(claimCodes, 'codes_verdict');
const withoutCodes = claimText('', 'promotions_verdict');

/** An order, its currency, and the key of its customer (`customerKeyOf`). */
interface UsingOrder {
  orderId: string;
  currency: string;
  customerKey: string | null;
}

/**
 * Claims the uses of an order up to the limits of promotions, codes and the customer, a promotion for first orders once, and
 * writes them with their events.
 * @param events one for each use
 * @returns false if one is used up; the transaction has to be rolled back then
 */
export async function claimUses(
  tx: TenantDatabase,
  { orderId, currency, customerKey }: UsingOrder,
  uses: readonly Use[],
  events: readonly ReturnType<typeof outboxRow>[],
): Promise<boolean> {
  const hasCodes = uses.some(({ code }) => code !== null);
  const [claim] = await tx.query<{ areClaimed: boolean }>(hasCodes ? withCodes : withoutCodes, [
    uses.map(({ promotionId }) => promotionId),
    uses.map(({ code }) => code),
    uses.map(({ code }) => (code === null ? null : codeKey(code))),
    uses.map(({ amount }) => amount),
    uses.map(() => newId()),
    events.map(({ id }) => id),
    events.map(({ payload }) => payload),
    ...[orderId, customerKey, currency],
  ]);
  return claim?.areClaimed ?? false;
}

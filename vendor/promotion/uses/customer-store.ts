/**
 * Queries of whose uses of promotions are: a guest's become a member's, and those of a person are exported and erased.
 */
import type { TenantDatabase } from '@carton/runtime';

/** Uses of one promotion by one customer. */
interface CountedUses {
  promotionId: string;
  /** Without returned ones. */
  uses: number;
}

/** Gives the uses of one customer to another. @returns their number for each promotion, by promotion */
export function assignUses(tx: TenantDatabase, fromKey: string, toKey: string): Promise<CountedUses[]> {
  return tx.query<CountedUses>(
    `with moved as (
       update promotion_usages set customer_key = $2 where tenant_id = $1 and customer_key = $3
       returning promotion_id, returned_at
     )
     select promotion_id, (count(*) filter (where returned_at is null))::integer as uses
       from moved group by promotion_id order by promotion_id`,
    [toKey, fromKey],
  );
}

const columnsOf = (counted: readonly CountedUses[]) => [
  counted.map(({ promotionId }) => promotionId),
  counted.map(({ uses }) => uses),
];

/** Adds uses to the counts of a customer, whatever the limits; in the order of promotions. */
export async function addUses(tx: TenantDatabase, customerKey: string, counted: readonly CountedUses[]): Promise<void> {
  await tx.query(
    `insert into promotion_customers as customers (tenant_id, promotion_id, customer_key, uses)
     select $1, promotion_id, $4, uses from unnest($2::uuid[], $3::integer[]) as moved (promotion_id, uses)
      order by promotion_id
     on conflict (tenant_id, promotion_id, customer_key) do update set uses = customers.uses + excluded.uses`,
    [...columnsOf(counted), customerKey],
  );
}

/** Takes uses off the counts of a customer. */
export async function subtractUses(
  tx: TenantDatabase,
  customerKey: string,
  counted: readonly CountedUses[],
): Promise<void> {
  await tx.query(
    `update promotion_customers customers set uses = customers.uses - moved.uses
       from unnest($2::uuid[], $3::integer[]) as moved (promotion_id, uses)
      where customers.tenant_id = $1 and customers.promotion_id = moved.promotion_id and customer_key = $4`,
    [...columnsOf(counted), customerKey],
  );
}

/** Deletes the counts of a customer that are zero. */
export async function deleteUnused(tx: TenantDatabase, customerKey: string): Promise<void> {
  await tx.query('delete from promotion_customers where tenant_id = $1 and customer_key = $2 and uses = 0', [
    customerKey,
  ]);
}

/** Whose uses: by their keys (`customerKeyOf`), and by the orders of a person whose key may be another. */
interface Owners {
  keys: readonly string[];
  orderIds: readonly string[];
}

const ofOwners = '(customer_key = any($2::text[]) or order_id = any($3::uuid[]))';

/** Uses for the export of a person, in the order in which they were made; `amount` in minor units. */
export function exportUses(db: TenantDatabase, { keys, orderIds }: Owners): Promise<object[]> {
  return db.query(
    `select usages.order_id, usages.code, promotions.label, usages.amount, usages.currency, usages.created_at
       from promotion_usages usages
       join promotions on promotions.tenant_id = $1 and promotions.id = usages.promotion_id
      where usages.tenant_id = $1 and ${ofOwners} order by usages.id`,
    [keys, orderIds],
  );
}

/** Deletes the counts, before the uses that tell under which keys they are. */
export async function deleteCounts(tx: TenantDatabase, { keys, orderIds }: Owners): Promise<void> {
  await tx.query(
    `delete from promotion_customers
      where tenant_id = $1
        and customer_key in (select unnest($2::text[])
                             union select customer_key from promotion_usages
                                    where tenant_id = $1 and order_id = any($3::uuid[]))`,
    [keys, orderIds],
  );
}

/** Uses that no customer has any more; they count for their promotions and codes. */
export async function detachUses(tx: TenantDatabase, { keys, orderIds }: Owners): Promise<void> {
  await tx.query(`update promotion_usages set customer_key = null where tenant_id = $1 and ${ofOwners}`, [
    keys,
    orderIds,
  ]);
}

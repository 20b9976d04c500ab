/**
 * Statements that find and erase what orders say of a person.
 */
import type { TenantDatabase } from '@carton/runtime';

/**
 * The orders of the member, and guest orders under a verified e-mail address; never those of another member.
 * @param emailKeys e-mail addresses in lower case
 */
export function ordersOf(
  db: TenantDatabase,
  { memberId, emailKeys }: { memberId: string | null; emailKeys: readonly string[] },
): Promise<{ id: string; sessionHash: string | null }[]> {
  return db.query(
    `select id, session_hash from orders
      where tenant_id = $1
        and (orders.member_id = $2 or (orders.member_id is null and orders.email_key = any($3::text[])))`,
    [memberId, emailKeys],
  );
}

/** Those of the orders that are neither canceled nor fulfilled, by number. */
export function findUnfulfilled(
  db: TenantDatabase,
  ids: readonly string[],
): Promise<{ number: string; isPending: boolean }[]> {
  return db.query(
    `select number, pending_until is not null as is_pending from orders
      where tenant_id = $1 and id = any($2::uuid[]) and status = 'placed' and fulfillment_status <> 'fulfilled'
      order by number`,
    [ids],
  );
}

/** In a reserved top-level domain that never resolves (RFC 2606, section 2). */
const erasedEmail = 'erased@erased.invalid';

/** Erases who placed the orders, and what the shopper or staff have written in free form. */
export async function eraseShopper(tx: TenantDatabase, ids: readonly string[]): Promise<void> {
  await tx.query(
    `update orders
        set email = $3, customer_name = null, phone = null, tax_number = null, notes = null, session_hash = null, metadata = '{}',
            attribution = null, tax_number_check = tax_number_check || '{"name": null, "address": null}', updated_at = now()
      where tenant_id = $1 and id = any($2::uuid[])`,
    [ids, erasedEmail],
  );
}

/**
 * Leaves the country and its province of addresses, which tax records need. Without the code of a country, as in free text,
 * nothing remains: it could be anything.
 */
export async function eraseAddresses(tx: TenantDatabase, ids: readonly string[]): Promise<void> {
  await tx.query(
    `delete from order_addresses
      where tenant_id = $1 and order_id = any($2::uuid[]) and coalesce(address ->> 'country', '') !~ '^[A-Z]{2}$'`,
    [ids],
  );
  await tx.query(
    `update order_addresses
        set address = jsonb_strip_nulls(jsonb_build_object(
              'country', address -> 'country', 'province', address -> 'province'))
      where tenant_id = $1 and order_id = any($2::uuid[])`,
    [ids],
  );
}

/** Erases what the shopper has chosen or written for lines. */
export async function eraseProperties(tx: TenantDatabase, ids: readonly string[]): Promise<void> {
  await tx.query(`update order_line_items set properties = '{}' where tenant_id = $1 and order_id = any($2::uuid[])`, [
    ids,
  ]);
}

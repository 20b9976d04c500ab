/**
 * Queries of the codes of carts.
 */
import type { CartMerge } from '@carton/cart';
import type { TenantDatabase } from '@carton/runtime';
import { codeKey } from '../codes/text.ts';

/** Adds a code to a cart. @returns the number of codes that it has then */
export async function insertCode(tx: TenantDatabase, cartId: string, code: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `with added as (
       insert into promotion_cart_codes (tenant_id, cart_id, code_key, code) values ($1, $2, $3, $4)
       on conflict (tenant_id, cart_id, code_key) do nothing returning 1)
     select ((select count(*) from promotion_cart_codes where tenant_id = $1 and cart_id = $2)
             + (select count(*) from added))::integer as count`,
    [cartId, codeKey(code), code],
  );
  return row?.count ?? 0;
}

/** @returns whether the cart had the code */
export async function deleteCode(tx: TenantDatabase, cartId: string, code: string): Promise<boolean> {
  const removed = await tx.remove('promotion_cart_codes', { cartId, codeKey: codeKey(code) });
  return removed.length > 0;
}

/** Moves the codes of a guest's cart into the member's, which keeps those that it has. */
export const moveCodes: CartMerge = async (tx, { fromId, intoId }) => {
  await tx.query(
    `with moved as (delete from promotion_cart_codes where tenant_id = $1 and cart_id = $2 returning code_key, code)
     insert into promotion_cart_codes (tenant_id, cart_id, code_key, code)
     select $1, $3, code_key, code from moved
     on conflict (tenant_id, cart_id, code_key) do nothing`,
    [fromId, intoId],
  );
};

/** Deletes the codes of old carts. */
export async function deleteCodesOf(tx: TenantDatabase, cartIds: readonly string[]): Promise<void> {
  await tx.query('delete from promotion_cart_codes where tenant_id = $1 and cart_id = any($2::uuid[])', [cartIds]);
}

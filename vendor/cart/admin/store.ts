/**
 * The list of carts for staff.
 */
import { type IntegrationPage, type ListQuery, rows, type TenantDatabase } from '@carton/runtime';
import type { AdminCartSummary } from '../schemas.ts';
import { findTermsOfCarts } from '../terms-store.ts';

const cartRows = rows<AdminCartSummary>({
  table: 'carts',
  noun: 'cart',
  computed: {
    itemCount: `select coalesce(sum(quantity), 0) from cart_line_items lines
                 where lines.tenant_id = carts.tenant_id and lines.cart_id = carts.id`,
  },
});

/** A page of carts, with region and currency as reading one of them shows them: in a second statement, which knows both once. */
export async function listCarts(db: TenantDatabase, query: ListQuery): Promise<IntegrationPage<AdminCartSummary>> {
  const page = await cartRows.page(db, query);
  const terms = await findTermsOfCarts(
    db,
    page.items.map(({ id }) => id),
  );
  const items = page.items.map((cart) => ({ ...cart, ...(terms.get(cart.id) ?? { regionId: null }) }));
  return { ...page, items };
}

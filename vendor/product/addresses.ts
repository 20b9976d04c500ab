/**
 * Pages of products in the storefront: those that a stranger sees.
 */
import type { StorefrontAddresses } from '@carton/runtime';
import { visibleTo } from './visibility.ts';

export const productAddresses: StorefrontAddresses = {
  name: 'products',
  async list(db, after, limit) {
    const visible = await visibleTo(db);
    const rows = await db.query<{ id: string; handle: string; updatedAt: string }>(
      `select id, handle, updated_at from products
        where tenant_id = $1 and status = 'published' and deleted_at is null and id > coalesce($2::uuid, $3::uuid)
          and ${visible.sql(5)}
        order by id limit $4`,
      [after, '00000000-0000-0000-0000-000000000000', limit, ...visible.values],
    );
    const items = rows.map(({ handle, updatedAt }) => ({ path: `/products/${handle}`, changedAt: updatedAt }));
    return { items, next: rows.length === limit ? (rows.at(-1)?.id ?? null) : null };
  },
};

/**
 * Pages of collections in the storefront: all of them.
 */
import type { StorefrontAddresses } from '@carton/runtime';

export const collectionAddresses: StorefrontAddresses = {
  name: 'collections',
  async list(db, after, limit) {
    const rows = await db.query<{ id: string; handle: string; updatedAt: string }>(
      `select id, handle, updated_at from collections
        where tenant_id = $1 and id > coalesce($2::uuid, $3::uuid) order by id limit $4`,
      [after, '00000000-0000-0000-0000-000000000000', limit],
    );
    const items = rows.map(({ handle, updatedAt }) => ({ path: `/collections/${handle}`, changedAt: updatedAt }));
    return { items, next: rows.length === limit ? (rows.at(-1)?.id ?? null) : null };
  },
};

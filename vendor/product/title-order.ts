/**
 * The order of products by title: that of ICU's root collation, which suits most languages, where PostgreSQL has it.
 */
import { onceForBox, type TenantDatabase } from '@carton/runtime';
import { type Order, sorts } from './conditions.ts';

const byLanguage: Order = { ...sorts.title, column: `${sorts.title.column} collate "und-x-icu"` };

/** What a box has found out about its database. */
const known = onceForBox(() => ({ order: null as Promise<Order> | null }));

/** A migration makes the index if the database has the collation. */
async function findOrder(db: TenantDatabase): Promise<Order> {
  const [row] = await db.query<{ isIndexed: boolean }>(
    `select $1::uuid is not null and to_regclass('products_published_title_icu') is not null as is_indexed`,
  );
  return row?.isIndexed ? byLanguage : sorts.title;
}

/** The order of a list; undefined if products have no such order of their own. */
export async function orderOf(db: TenantDatabase, sort: string): Promise<Order | undefined> {
  if (sort !== sorts.title.name) return sorts[sort as keyof typeof sorts];
  const kept = known(db);
  kept.order ??= findOrder(db).catch((error: unknown) => {
    kept.order = null;
    throw error;
  });
  return kept.order;
}

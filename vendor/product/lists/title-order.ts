/**
 * The order of products by title: that of the collation of the store's language. A language without one of its own has ICU's
 * root collation, and so has another one until its index is built. PostgreSQL may have no ICU: then it is that of code points.
 *
 * A list goes on in the order in which it has begun, which its cursors name.
 */
import { findStore, localesInUse } from '@carton/core';
import {
  collationSql,
  type LanguageIndex,
  languageIndexName,
  onceForBox,
  sortOfCursor,
  type TenantDatabase,
  tailoredCollation,
  tailoredCollations,
} from '@carton/runtime';
import { type Order, sorts } from '../conditions-store.ts';

/** Without those of brand and type: of languages there may be many. */
export const titleIndex: LanguageIndex = {
  name: 'products_title',
  on: (collation) => `products (tenant_id, title_key collate ${collation}, id)
    where status = 'published' and deleted_at is null`,
  locales: localesInUse,
};

const { isIndexedByColumns: _, ...byTitle } = sorts.title;
const orderIn = (collation: string): Order => ({
  ...byTitle,
  column: `${byTitle.column} collate ${collationSql(collation)}`,
});
const byRoot: Order = { ...orderIn('und'), isIndexedByColumns: true };
const byLanguage = (collation: string): Order => ({ ...orderIn(collation), name: `${byTitle.name} ${collation}` });

/** The orders of this database, those of languages by their collations. */
interface Orders {
  common: Order;
  byCollation: ReadonlyMap<string, Order>;
}

/** Milliseconds for which a box remembers what indexes there are. */
const rememberedFor = 1_000;
const known = onceForBox(() => ({ orders: null as Promise<Orders> | null, readAt: 0 }));

/** An order is used once its index is complete. Of the root order a migration makes it, if the database has ICU. */
async function readOrders(db: TenantDatabase): Promise<Orders> {
  const rows = await db.query<{ name: string }>(
    `select relname as name from pg_index join pg_class on pg_class.oid = indexrelid
      where $1::uuid is not null and indrelid = to_regclass('products') and indisvalid`,
  );
  const indexes = new Set(rows.map(({ name }) => name));
  const ready = [...tailoredCollations].filter((each) => indexes.has(languageIndexName(titleIndex, each)));
  return {
    common: indexes.has('products_published_title_icu') ? byRoot : sorts.title,
    byCollation: new Map(ready.map((each) => [each, byLanguage(each)])),
  };
}

function ordersOf(db: TenantDatabase): Promise<Orders> {
  const kept = known(db);
  if (kept.orders === null || performance.now() > kept.readAt + rememberedFor) {
    kept.readAt = performance.now();
    kept.orders = readOrders(db).catch((error: unknown) => {
      kept.orders = null;
      throw error;
    });
  }
  return kept.orders;
}

async function titleOrder(db: TenantDatabase, cursor: string | undefined): Promise<Order> {
  const { common, byCollation } = await ordersOf(db);
  const begun = cursor === undefined ? undefined : sortOfCursor(cursor);
  const orders = [common, ...byCollation.values()];
  const inBegun = orders.find(({ name }) => name === begun);
  if (inBegun) return inBegun;
  const collation = tailoredCollation((await findStore(db)).defaultLocale);
  return (collation && byCollation.get(collation)) || common;
}

/** The order of a list; undefined if products have no such order of their own. */
export async function orderOf(
  db: TenantDatabase,
  { sort, cursor }: { sort: string; cursor?: string | undefined },
): Promise<Order | undefined> {
  return sort === sorts.title.name ? titleOrder(db, cursor) : sorts[sort as keyof typeof sorts];
}

/**
 * The indexes of the order by title, and the orders that they serve.
 */
import { localesInUse } from '@carton/core';
import {
  collationSql,
  type LanguageIndex,
  languageIndexName,
  type TenantDatabase,
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
export interface Orders {
  common: Order;
  byCollation: ReadonlyMap<string, Order>;
}

/** An order is used once its index is complete. Of the root order a migration makes it, if the database has ICU. */
export async function readOrders(db: TenantDatabase): Promise<Orders> {
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

/**
 * Gives the products of a seeded store what lists filter and search them by, in the shares of a large store: brands, types,
 * tags, categories, a collection, and titles with accents.
 */
import { administerAt } from '@carton/runtime/testing';
import { type PlanLimits, type Query, usualLimits } from '@carton/runtime/testing/plans';
import { wordsOfTexts } from '../../vendor/product/search/words.ts';

const accented = 'Crème Brûlée';
/** What a title begins with, from the beginning of each word: as it is written, and in the forms that the box adds. */
const accentedWords = ['crème brûlée', 'brûlée', ...wordsOfTexts({ title: accented, skus: [] })];

/** Searches that differ in how many products they find: by beginnings of words, with and without accents, and by SKU. */
const searches = ['crème', 'creme', 'brulee cre', 'linen shirt', 'w', 'merino sca', 'cms-1', 'WC', '7'];
/** Filters of a tenth of the products or more, and of a few. */
const filters: Query[] = [
  { brand: 'Alder' },
  { brand: 'Brand 7' },
  { brand: 'Alder', type: 'Shirt' },
  { type: 'Type 7' },
  { tag: 'summer' },
  { tag: 'rare' },
];
const ofShoppers: Query[] = [
  { category: 'shirts' },
  { category: 'clothes' },
  { category: 'coats', tag: 'rare' },
  { category: 'shirts', brand: 'Brand 7' },
  { category: 'shirts', brand: 'Alder', type: 'Shirt', tag: 'summer', inStock: true },
  { priceMin: 1000, priceMax: 2000, category: 'shirts' },
  { priceMin: 1_000_000, inStock: true },
];
const orders: Query[] = ['newest', 'oldest', 'title', 'price', '-price', 'stock', '-stock'].map((sort) => ({ sort }));
const combined = (one: Query[], other: Query[]) => one.flatMap((a) => other.map((b) => ({ ...a, ...b })));
const searched = searches.map((q) => ({ q }));

/** Queries of the lists of products: each search with each filter, and each of both in each order. */
export const queriesOfProducts: Record<string, Query[]> = {
  listProducts: [
    ...combined([...searched, ...filters, ...ofShoppers], orders),
    ...combined(searched, [...filters, ...ofShoppers]),
  ],
  listAdminProducts: [...filters, ...combined(searched, [{}, { status: 'draft' }, ...filters])],
};

/**
 * Of 100,000 products. A search tests at most 80 products of a list for each item of its page, each with some nine words. If
 * that finds too few, and all of its words and lists have more than 5,000 products, it reads those of all the words, or of the
 * shortest list: that is what grows with the store (`vendor/product/search/service.ts`). 100,000 pages in memory take
 * about a tenth of a second.
 */
const limitsOfProducts: PlanLimits = { rows: 70_000, pages: 100_000, pagesOfCall: 120_000 };
/** What a page may read in a store with such products. */
export function limitsOf(operationId: string): PlanLimits {
  return operationId in queriesOfProducts ? limitsOfProducts : usualLimits;
}

/**
 * Describes the products without a brand. Of brands and tags one is that of many products, and the others of a few.
 */
export async function describeProducts(databaseUrl: string, tenantId: string): Promise<void> {
  const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;
  // Of each attribute by itself: no two of them exclude each other.
  const among = (attribute: string, count: number) => `(hashtext(id::text || '${attribute}') & 1048575) % ${count}`;
  const words = accentedWords.map((word) => `(${literal(word)})`).join(', ');
  await administerAt(
    databaseUrl,
    'set session_replication_role = replica',
    `create temporary table described as
       select id, created_at, status, row_number() over (order by md5(id::text)) as number,
              ${among('brand', 3)} = 0 as of_alder, ${among('brand', 400)} as brand,
              ${among('type', 5)} = 0 as is_shirt, ${among('type', 60)} as type,
              ${among('summer', 4)} = 0 as for_summer, ${among('rare', 97)} = 0 as is_rare,
              ${among('accent', 11)} = 0 as accented, ${among('category', 10)} as place, ${among('shelf', 500)} as shelf,
              ${among('collection', 7)} = 0 as collected
         from products where tenant_id = '${tenantId}' and brand is null and deleted_at is null`,
    `update products
        set brand = case when described.of_alder then 'Alder' else 'Brand ' || described.brand end,
            type = case when described.is_shirt then 'Shirt' else 'Type ' || described.type end,
            tags = array_remove(array[case when for_summer then 'summer' end, case when is_rare then 'rare' end], null),
            title = case when accented then ${literal(accented)} || ' ' || title else title end
       from described where tenant_id = '${tenantId}' and products.id = described.id`,
    `insert into product_title_words (tenant_id, product_id, status, word_from)
       select '${tenantId}', id, status, word from described cross join (values ${words}) as words (word) where accented
       on conflict do nothing`,
    `insert into product_tags (tenant_id, product_id, tag_key, product_created_at)
       select '${tenantId}', id, tag, created_at
         from described cross join (values ('summer'), ('rare')) as tags (tag)
        where case tag when 'summer' then for_summer else is_rare end`,
    // The categories of the tenant have a tenth of the products each; every product is in one more.
    `insert into category_products (tenant_id, category_id, product_id, position, product_created_at)
       select '${tenantId}', places.id, described.id, number, described.created_at
         from described
         join (select id, row_number() over (order by handle !~ '^(shirts|coats)$', id) - 1 as place
                 from categories where tenant_id = '${tenantId}') places
           on (places.place < 2 and described.place = places.place) or places.place = 2 + shelf
       on conflict do nothing`,
    `insert into collection_products (tenant_id, collection_id, product_id, position)
       select '${tenantId}', collections.id, described.id, number
         from described
         join (select id from collections where tenant_id = '${tenantId}' and kind = 'manual'
                order by created_at desc, id desc limit 2) collections on collected
       on conflict do nothing`,
    'drop table described',
    'vacuum analyze',
  );
}

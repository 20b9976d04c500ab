/**
 * Tags of products: words by which shoppers and staff find them, whatever their case.
 */
import { foldCase, Tag, type TenantDatabase, Type, tagKeysOf, withOptions } from '@carton/runtime';
import type { ProductListFilter } from '../filters/lists-store.ts';

/** The maximum number of tags of a product. */
export const maxTags = 50;

export const Tags = Type.Array(Tag, {
  maxItems: maxTags,
  description: 'Spaces around a tag are removed, and of tags that differ only in case the first stays',
  examples: [['summer']],
});

/** Replaces the tags by which a product is found. It must be new or locked. */
export async function putTags(tx: TenantDatabase, productId: string, tags: readonly string[]): Promise<void> {
  await tx.remove('product_tags', { productId });
  await addTags(tx, productId, tags);
}

/** Adds tags by which a product is found, which may have some of them. */
export async function addTags(tx: TenantDatabase, productId: string, tags: readonly string[]): Promise<void> {
  if (tags.length === 0) return;
  await tx.query(
    `insert into product_tags (tenant_id, product_id, tag_key, product_created_at)
     select products.tenant_id, products.id, tag_key, products.created_at
       from products, unnest($3::text[]) as tag_key
      where products.tenant_id = $1 and products.id = $2
     on conflict do nothing`,
    [productId, tagKeys(tags)],
  );
}

/** The keys of tags, which are compared as SKUs are. */
export function tagKeys(tags: readonly string[]): string[] {
  return [...new Set(tags.map(foldCase))];
}

/** The lists that a tag names: also those of products that earlier releases have written, until the job has mended them. */
export const tagsOf = tagKeysOf;

/** The query parameter by which lists are filtered. */
export const TagParameter = withOptions(Tag, { description: 'A tag, whatever its case' });

export const tagFilter: ProductListFilter = {
  name: 'tag',
  schema: TagParameter,
  table: 'product_tags',
  column: 'tag_key',
  type: 'text',
  findLists: async (_db, tag) => tagsOf(String(tag)),
};

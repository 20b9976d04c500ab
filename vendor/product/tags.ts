/**
 * Tags of products: words by which shoppers and staff find them, whatever their case.
 */
import { Tag, type TenantDatabase, Type, withOptions } from '@carton/runtime';
import type { ProductListFilter } from './list-filters.ts';

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
  if (tags.length === 0) return;
  await tx.query(
    `insert into product_tags (tenant_id, product_id, tag_key, product_created_at)
     select products.tenant_id, products.id, tag_key, products.created_at
       from products, unnest($3::text[]) as tag_key
      where products.tenant_id = $1 and products.id = $2`,
    [productId, tags.map(keyOf)],
  );
}

function keyOf(tag: string): string {
  return tag.trim().toLowerCase();
}

/** The lists that a tag names. */
export function tagsOf(tag: string): string[] {
  return [keyOf(tag)];
}

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

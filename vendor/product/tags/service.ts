/**
 * Tags of products: words by which shoppers and staff find them, whatever their case.
 */
import { foldCase, type TenantDatabase, tagKeysOf } from '@carton/runtime';
import type { ProductListFilter } from '../filters/extensions.ts';
import { TagParameter } from './schemas.ts';
import { insertTagKeys, listTagged, lockTags, removeTagKeys } from './store.ts';

/** Replaces the tags by which a product is found. It must be new or locked. */
export async function putTags(tx: TenantDatabase, productId: string, tags: readonly string[]): Promise<void> {
  await removeTagKeys(tx, productId);
  await addTags(tx, productId, tags);
}

/** Adds tags by which a product is found, which may have some of them. */
async function addTags(tx: TenantDatabase, productId: string, tags: readonly string[]): Promise<void> {
  if (tags.length > 0) await insertTagKeys(tx, productId, tagKeys(tags));
}

/** Adds the tags of these products as they are compared now: earlier releases have told more of them apart. */
export async function addLackingTags(db: TenantDatabase, ids: readonly string[]): Promise<void> {
  for (const { id, tags, keys } of await listTagged(db, ids)) {
    if (tagKeys(tags).every((key) => keys.includes(key))) continue;
    await db.transaction(async (tx) => addTags(tx, id, (await lockTags(tx, id)) ?? []));
  }
}

/** The keys of tags, which are compared as SKUs are. */
function tagKeys(tags: readonly string[]): string[] {
  return [...new Set(tags.map(foldCase))];
}

/** The lists that a tag names: also those of products that earlier releases have written, until the job has mended them. */
export const tagsOf = tagKeysOf;

export const tagFilter: ProductListFilter = {
  name: 'tag',
  schema: TagParameter,
  table: 'product_tags',
  column: 'tag_key',
  type: 'text',
  findLists: async (_db, tag) => tagsOf(String(tag)),
};

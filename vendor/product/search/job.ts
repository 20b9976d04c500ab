/**
 * The job that writes the words of products that earlier releases have written without SKUs and folded titles (search-words.ts):
 * those of before the first box that knows such words, and later those that a box of an earlier release writes during a
 * rolling upgrade or after a rollback. Such a box notes nothing, so what has changed lately is checked for as long as
 * there is a store. A migration would take long in a large one.
 */
import { job, type TenantDatabase } from '@carton/runtime';
import { statuses } from '../schemas.ts';
import { addTags, tagKeys } from '../tags/service.ts';
import { rewriteTitleWords } from './matches-store.ts';
import { addWords, type SearchedTexts, searchedTexts, wordsOfTexts } from './words.ts';

/** Products whose words are written in one transaction, and that are checked by one statement. */
const batchSize = 200;
/** Clocks of boxes differ, and a change is seen only when its transaction ends. */
const overlap = "interval '15 minutes'";

/** Writes the words of a batch of products of before there were such words. @returns whether there may be more */
async function fillBatch(tx: TenantDatabase): Promise<boolean> {
  const [progress] = await tx.query<{ filledTo: string | null; isComplete: boolean }>(
    `insert into product_word_progress (tenant_id, folded_to) values ($1, now())
     on conflict (tenant_id) do update set filled_to = product_word_progress.filled_to
     returning filled_to, completed_at is not null as is_complete`,
  );
  if (!progress || progress.isComplete) return false;
  const batch = await tx.query<SearchedTexts>(
    `select ${searchedTexts} from products
      where tenant_id = $1 and deleted_at is null and ($2::uuid is null or id > $2) order by id limit ${batchSize}`,
    [progress.filledTo],
  );
  for (const product of batch) await addWords(tx, product.id, wordsOfTexts(product));
  await tx.query(
    `update product_word_progress set filled_to = coalesce($2, filled_to), completed_at = case when $3 then now() end
      where tenant_id = $1`,
    [batch.at(-1)?.id ?? null, batch.length < batchSize],
  );
  return batch.length === batchSize;
}

/** The products among these that lack words. */
async function lackingWords(db: TenantDatabase, ids: readonly string[]): Promise<string[]> {
  const products = await db.query<SearchedTexts>(
    `select ${searchedTexts} from products where tenant_id = $1 and id = any($2::uuid[]) and deleted_at is null`,
    [ids],
  );
  const wanted = products.flatMap((product) => wordsOfTexts(product).map((word) => [product.id, word] as const));
  if (wanted.length === 0) return [];
  const lacking = await db.query<{ productId: string }>(
    `select distinct wanted.product_id
       from unnest($2::uuid[], $3::text[]) as wanted (product_id, word)
      where not exists (select from product_title_words words
                         where words.tenant_id = $1 and words.status = any($4) and words.word_from = wanted.word
                           and words.product_id = wanted.product_id)`,
    [wanted.map(([id]) => id), wanted.map(([, word]) => word), statuses],
  );
  return lacking.map(({ productId }) => productId);
}

/** Composes brands and types that earlier releases have stored as they were sent: filters compare them as texts. */
async function composeDetails(db: TenantDatabase, ids: readonly string[]): Promise<void> {
  await db.query(
    `update products set brand = normalize(trim(brand)), type = normalize(trim(type)), updated_at = now()
      where tenant_id = $1 and id = any($2::uuid[]) and deleted_at is null
        and (brand <> normalize(trim(brand)) or type <> normalize(trim(type)))
        and trim(coalesce(brand, 'x')) <> '' and trim(coalesce(type, 'x')) <> ''`,
    [ids],
  );
}

/** Adds the tags of these products as they are compared now. */
async function addLackingTags(db: TenantDatabase, ids: readonly string[]): Promise<void> {
  const tagged = await db.query<{ id: string; tags: string[]; keys: string[] }>(
    `select id, tags,
            array(select tag_key from product_tags where tenant_id = $1 and product_id = products.id) as keys
       from products where tenant_id = $1 and id = any($2::uuid[]) and deleted_at is null and tags <> '{}'`,
    [ids],
  );
  for (const { id, tags, keys } of tagged) {
    if (tagKeys(tags).every((key) => keys.includes(key))) continue;
    await db.transaction(async (tx) => {
      const [locked] = await tx.query<{ tags: string[] }>(
        'select tags from products where tenant_id = $1 and id = $2 and deleted_at is null for update',
        [id],
      );
      if (locked) await addTags(tx, id, locked.tags);
    });
  }
}

/** Rewrites the words of a product as it is now. */
async function mendWords(db: TenantDatabase, productId: string): Promise<void> {
  await db.transaction(async (tx) => {
    const locked = 'select id from products where tenant_id = $1 and id = $2 and deleted_at is null for update';
    if ((await tx.query(locked, [productId])).length > 0) await rewriteTitleWords(tx, productId);
  });
}

interface Changed {
  id: string;
  productId: string;
  changedAt: string;
}

/** Products and variants in the order of their last change. */
const sources = [
  'id as product_id, updated_at::text as changed_at from products',
  'product_id, updated_at::text as changed_at from product_variants',
];

/** Mends the words of products that have changed, or whose variants have, since the last check. */
async function checkChanged(db: TenantDatabase): Promise<void> {
  const [progress] = await db.query<{ since: string; now: string }>(
    `select coalesce(folded_to - ${overlap}, '-infinity')::text as since, now()::text as now
       from product_word_progress where tenant_id = $1`,
  );
  if (!progress) return;
  for (const source of sources) {
    let after = { changedAt: progress.since, id: '00000000-0000-0000-0000-000000000000' };
    for (let isMore = true; isMore; ) {
      const changed = await db.query<Changed>(
        `select id, ${source}
          where tenant_id = $1 and deleted_at is null and (updated_at, id) > ($2::timestamptz, $3::uuid)
          order by updated_at, id limit ${batchSize}`,
        [after.changedAt, after.id],
      );
      const ids = [...new Set(changed.map(({ productId }) => productId))];
      for (const id of await lackingWords(db, ids)) await mendWords(db, id);
      await addLackingTags(db, ids);
      await composeDetails(db, ids);
      after = changed.at(-1) ?? after;
      isMore = changed.length === batchSize;
    }
  }
  await db.query('update product_word_progress set folded_to = $2 where tenant_id = $1', [progress.now]);
}

export async function fillWords(db: TenantDatabase): Promise<void> {
  while (await db.transaction(fillBatch));
  await checkChanged(db);
}

export const fillSearchWords = job({ name: 'product.fill-search-words', everySeconds: 600, run: fillWords });

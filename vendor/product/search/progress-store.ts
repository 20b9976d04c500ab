/**
 * Queries of the job that writes the words of products (`job.ts`).
 */
import type { TenantDatabase } from '@carton/runtime';
import { searchedTexts } from './store.ts';
import type { SearchedTexts } from './words.ts';

/** Products whose words are written in one transaction, and that are checked by one statement. */
export const batchSize = 200;
/** Clocks of boxes differ, and a change is seen only when its transaction ends. */
const overlap = "interval '15 minutes'";

/** How far the job has written the words of before there were such words: the id of the last product. */
interface Progress {
  filledTo: string | null;
  isComplete: boolean;
}

/** Locks the progress of a store, which has one from then on. */
export async function lockProgress(tx: TenantDatabase): Promise<Progress | undefined> {
  const [progress] = await tx.query<Progress>(
    `insert into product_word_progress (tenant_id, parted_to) values ($1, now())
     on conflict (tenant_id) do update set filled_to = product_word_progress.filled_to
     returning filled_to, completed_at is not null as is_complete`,
  );
  return progress;
}

/** Notes the last product whose words are written; null if there was none. */
export async function noteProgress(tx: TenantDatabase, { filledTo, isComplete }: Progress): Promise<void> {
  await tx.query(
    `update product_word_progress set filled_to = coalesce($2, filled_to), completed_at = case when $3 then now() end
      where tenant_id = $1`,
    [filledTo, isComplete],
  );
}

/** The next products in the order of their ids, after one of them: at most `batchSize`. */
export function listSearchedTextsAfter(tx: TenantDatabase, id: string | null): Promise<SearchedTexts[]> {
  return tx.query(
    `select ${searchedTexts} from products
      where tenant_id = $1 and deleted_at is null and ($2::uuid is null or id > $2) order by id limit ${batchSize}`,
    [id],
  );
}

/** Since when changes are to be checked, and the time; undefined before there is progress. */
export async function findCheckTimes(db: TenantDatabase): Promise<{ since: string; now: string } | undefined> {
  const [times] = await db.query<{ since: string; now: string }>(
    `select coalesce(parted_to - ${overlap}, '-infinity')::text as since, now()::text as now
       from product_word_progress where tenant_id = $1`,
  );
  return times;
}

/** Notes until when changes are checked. */
export async function noteChecked(db: TenantDatabase, until: string): Promise<void> {
  await db.query('update product_word_progress set parted_to = $2 where tenant_id = $1', [until]);
}

/** A product or variant that has changed. */
interface Changed {
  id: string;
  productId: string;
  changedAt: string;
}

const sources = {
  products: 'id as product_id, updated_at::text as changed_at from products',
  variants: 'product_id, updated_at::text as changed_at from product_variants',
};

/** Products or variants in the order of their last change, after one of them: at most `batchSize`. */
export function listChanged(
  db: TenantDatabase,
  source: keyof typeof sources,
  after: Pick<Changed, 'id' | 'changedAt'>,
): Promise<Changed[]> {
  return db.query(
    `select id, ${sources[source]}
      where tenant_id = $1 and deleted_at is null and (updated_at, id) > ($2::timestamptz, $3::uuid)
      order by updated_at, id limit ${batchSize}`,
    [after.changedAt, after.id],
  );
}

/** Locks a product. @returns whether it exists and is not deleted */
export async function lockProduct(tx: TenantDatabase, id: string): Promise<boolean> {
  const found = await tx.query(
    'select id from products where tenant_id = $1 and id = $2 and deleted_at is null for update',
    [id],
  );
  return found.length > 0;
}

/** Composes brands and types that earlier releases have stored as they were sent: filters compare them as texts. */
export async function composeDetails(db: TenantDatabase, ids: readonly string[]): Promise<void> {
  await db.query(
    `update products set brand = normalize(trim(brand)), type = normalize(trim(type)), updated_at = now()
      where tenant_id = $1 and id = any($2::uuid[]) and deleted_at is null
        and (brand <> normalize(trim(brand)) or type <> normalize(trim(type)))
        and trim(coalesce(brand, 'x')) <> '' and trim(coalesce(type, 'x')) <> ''`,
    [ids],
  );
}

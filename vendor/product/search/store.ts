/**
 * Queries of the table of words, which holds each title from the beginning of each of its words, so that a search is a range
 * of an index, however many products there are. `like` is not leakproof, so under row-level security it cannot use an index.
 */
import type { TenantDatabase } from '@carton/runtime';
import { statuses } from '../schemas.ts';
import { indexedLength, type SearchedTexts } from './words.ts';

/**
 * Characters that belong to no word, in the syntax of PostgreSQL's regular expressions: each begins a word of its own,
 * and the character after it begins one too.
 */
const separators = [
  // Control characters, spaces, punctuation and symbols of ASCII and Latin-1.
  '\\u0001-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u00a9\\u00ab-\\u00b4\\u00b6-\\u00b9\\u00bb-\\u00bf\\u00d7\\u00f7',
  // Punctuation of Greek, Armenian, Hebrew and Arabic.
  '\\u037e\\u0387\\u055a-\\u055f\\u0589\\u058a\\u05be\\u05c0\\u05c3\\u05f3\\u05f4\\u060c\\u061b-\\u061f\\u066a-\\u066d\\u06d4',
  // Of the scripts of India and Ethiopia, Ogham and Mongolian; Thai, Lao, Tibetan, Burmese, Hangul, Khmer, Tai, Balinese.
  '\\u0964\\u0965\\u0e00-\\u109f\\u1100-\\u11ff\\u1360-\\u1368\\u1680\\u1780-\\u180e\\u1950-\\u1aaf\\u1b00-\\u1b7f',
  // Punctuation and symbols of all scripts; Han, Kana, Yi, Hangul, Javanese; compatibility and full-width forms.
  '\\u2000-\\u2bff\\u2e00-\\ua4cf\\ua960-\\ua97f\\ua980-\\ua9ff\\uaa60-\\uaadf\\uac00-\\ufaff\\ufe10-\\ufe6f\\uff00-\\uffff',
  // Emoji, rarer Han, music.
  '\\U00010000-\\U0010ffff',
].join('');

/** No word begins with these: the spaces that `String.prototype.trimStart` removes. */
const spaces = '\\u0009-\\u000d\\u0020\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff';

/** Adds the words of a title as they are written, which the database finds in it; none for a deleted product. */
export async function insertTitleWords(db: TenantDatabase, productId: string): Promise<void> {
  await db.query(
    `insert into product_title_words (tenant_id, product_id, status, word_from)
     select distinct tenant_id, id, status, left(substr(title_key, place), ${indexedLength})
       from products
      cross join lateral generate_series(1, length(title_key)) as place
      where tenant_id = $1 and id = $2 and deleted_at is null
        and substr(title_key, place, 1) !~ '[${spaces}]' and substr(' ' || title_key, place, 2) ~ '[${separators}]'`,
    [productId],
  );
}

/** Removes all words of a product. */
export async function removeWords(db: TenantDatabase, productId: string): Promise<void> {
  await db.query('delete from product_title_words where tenant_id = $1 and product_id = $2', [productId]);
}

/** Adds words of a product that is not deleted, which may have some of them. */
export async function addWords(db: TenantDatabase, productId: string, words: readonly string[]): Promise<void> {
  if (words.length === 0) return;
  await db.query(
    `insert into product_title_words (tenant_id, product_id, status, word_from)
     select products.tenant_id, products.id, products.status, word
       from products cross join unnest($3::text[]) as word
      where products.tenant_id = $1 and products.id = $2 and products.deleted_at is null
     on conflict do nothing`,
    [productId, words],
  );
}

/** What is searched of the row `products`. */
export const searchedTexts = `
  products.id, products.title,
  coalesce((select array_agg(variants.sku) from product_variants variants
             where variants.tenant_id = products.tenant_id and variants.product_id = products.id
               and variants.deleted_at is null and variants.sku is not null), '{}') as skus`;

/** What is searched of a product; undefined if it is deleted. */
export async function findSearchedTexts(db: TenantDatabase, productId: string): Promise<SearchedTexts | undefined> {
  const [product] = await db.query<SearchedTexts>(
    `select ${searchedTexts} from products where tenant_id = $1 and id = $2 and deleted_at is null`,
    [productId],
  );
  return product;
}

/** What is searched of those of the products that are not deleted. */
export function listSearchedTexts(db: TenantDatabase, productIds: readonly string[]): Promise<SearchedTexts[]> {
  return db.query(
    `select ${searchedTexts} from products where tenant_id = $1 and id = any($2::uuid[]) and deleted_at is null`,
    [productIds],
  );
}

/** The products that lack one of their words. @param wanted ids of products, each with a word */
export async function listLackingWords(
  db: TenantDatabase,
  wanted: readonly (readonly [productId: string, word: string])[],
): Promise<string[]> {
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

/**
 * Indexes in the order of a language: one for each tailored collation that a locale in use has, and none for others. Each
 * holds the rows of all tenants, and each write of a row maintains it.
 */
import type pg from 'pg';
import type { Logger } from 'pino';
import { recordVersions } from '../db/collation-versions.ts';
import { migratingSetting } from '../db/row-security.ts';
import { extensionPoint } from '../extension/extension.ts';
import { tailoredCollation, tailoredCollations } from '../locale/collation.ts';

export interface LanguageIndex {
  /** Its indexes are named after it and the collation: `products_title_sv`. */
  readonly name: string;
  /** What is indexed: `products (tenant_id, title collate …, id)`. @param collation in SQL */
  on(collation: string): string;
  /** SQL of the locales in use over all tenants, as `locale`, the most used first. */
  readonly locales: string;
}

/** Indexes on texts in the order of each language in use. */
export const languageIndexes = extensionPoint<LanguageIndex>('engine.language-indexes');

/** The most indexes of each kind. Lists in further languages keep the root order. */
const mostLanguages = 16;

/** A collation in SQL. @param name of `tailoredCollation` */
export function collationSql(name: string): string {
  return `"${name}-x-icu"`;
}

/** @param collation of `tailoredCollation` */
export function languageIndexName({ name }: Pick<LanguageIndex, 'name'>, collation: string): string {
  return `${name}_${collation.toLowerCase().replace('-', '_')}`;
}

/** The collations of the locales in use, as far as the database has them, the most used first. */
async function findWanted(client: pg.Client, { locales }: LanguageIndex): Promise<string[]> {
  await client.query(`begin; set local ${migratingSetting} = 'on'`);
  const { rows } = await client.query<{ locale: string }>(locales);
  await client.query('commit');
  const wanted = [...new Set(rows.flatMap(({ locale }) => tailoredCollation(locale) ?? []))];
  const found = await client.query<{ collname: string }>(
    `select collname from pg_collation where collname = any($1) and collnamespace = 'pg_catalog'::regnamespace`,
    [wanted.map((name) => `${name}-x-icu`)],
  );
  const present = new Set(found.rows.map(({ collname }) => collname));
  return wanted.filter((name) => present.has(`${name}-x-icu`));
}

/**
 * Creates the indexes that are missing, while the table is used, and drops those that a killed process has left incomplete.
 * @param options.dropUnused whether to drop those of languages that are no longer in use
 */
export async function keepLanguageIndexes(
  client: pg.Client,
  index: LanguageIndex,
  { dropUnused, log }: { dropUnused: boolean; log: Logger },
): Promise<void> {
  const wanted = new Map((await findWanted(client, index)).map((each) => [languageIndexName(index, each), each]));
  const { rows } = await client.query<{ name: string; valid: boolean }>(
    `select relname as name, indisvalid as valid from pg_index join pg_class on pg_class.oid = indexrelid
      where relnamespace = current_schema()::regnamespace and relname = any($1)`,
    [[...tailoredCollations].map((each) => languageIndexName(index, each))],
  );
  const present = new Set(rows.map(({ name }) => name));
  for (const { name, valid } of rows) {
    if (valid && (wanted.has(name) || !dropUnused)) continue;
    log.info(
      { index: name },
      valid ? 'dropping an index of a language that no store has' : 'dropping an incomplete index',
    );
    await client.query(`drop index concurrently if exists ${name}`);
    present.delete(name);
  }
  for (const [name, collation] of wanted) {
    if (present.has(name) || present.size >= mostLanguages) continue;
    log.info({ index: name }, 'creating the index of a language');
    await client.query(`create index concurrently ${name} on ${index.on(collationSql(collation))}`);
    await recordVersions(client, name);
    present.add(name);
    log.info({ index: name }, 'created the index of a language');
  }
}

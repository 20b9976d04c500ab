/**
 * Rows that are found by the beginnings of their words, which a table of their own holds (words.ts in queries): writing the
 * words of a row, and the list of the rows that have a word.
 */
import { quoteName, toSnakeCase } from '../db/connection.ts';
import type { TenantDatabase } from '../db/tenant-database.ts';
import { decodeCursor, type Page, pageOfRows } from '../http/paging.ts';
import { equalTo, searchedForm, selectWords, wordBeginsWith } from '../queries/words.ts';

/** The words of rows. */
export interface WordsDeclaration<Row> {
  /**
   * The table with the primary key `(tenant_id, <id>, word_from)`, a foreign key to the rows `on delete cascade`, the
   * columns of `copies`, and the index `(tenant_id, <a copy>, word_from, <id>)` without a copy and with each.
   */
  table: string;
  /** Its column with the id of the row: `member_id`. */
  id: string;
  /** The texts that are found from the beginning of each of their words. */
  texts: readonly (keyof Row & string)[];
  /** The texts that are found by their beginning only, such as e-mail addresses. */
  entire?: readonly (keyof Row & string)[];
  /** What the table holds of a row besides its words: a list with a value of it reads the words of such rows only. */
  copies?: readonly (keyof Row & string)[];
}

const order = 'words';
const nilId = '00000000-0000-0000-0000-000000000000';

/** A row that was found, and the first of its words that match. */
interface Found {
  id: string;
  wordFrom: string;
}

export interface FoundByWords<Row> {
  /** Writes the words of a row that has none, in the transaction that inserts it. */
  write(tx: TenantDatabase, id: string): Promise<void>;
  /** Writes the words of a row again, in the transaction that has changed it. */
  rewrite(tx: TenantDatabase, id: string): Promise<void>;
  clear(tx: TenantDatabase, id: string): Promise<void>;
  /** Whether a change may change the words. */
  dependOn(patch: Partial<Row>): boolean;
  /**
   * A page of the rows with a word that begins with a text, in the order of their first such words.
   * @param values what properties of the rows must be; those that are copied limit which words are read
   * @throws invalid_request (400) for a cursor of another list
   */
  page(
    db: TenantDatabase,
    text: string,
    values: Readonly<Record<string, unknown>>,
    position: { limit: number; cursor?: string },
  ): Promise<Page<Found>>;
}

/** @param rows their table, and whether they are soft deleted: such rows have no words */
export function foundByWords<Row>(
  rows: { table: string; softDelete?: true },
  { table, id, texts, entire = [], copies = [] }: WordsDeclaration<Row>,
): FoundByWords<Row> {
  const [name, words, idColumn] = [rows.table, table, id].map(quoteName) as [string, string, string];
  const columnOf = (property: string) => quoteName(toSnakeCase(property));
  const textOf = (property: string) => `${name}.${columnOf(property)}`;
  const clearing = `delete from ${words} where tenant_id = $1 and ${idColumn} = $2`;
  const writing = `
    insert into ${words} (${['tenant_id', idColumn, 'word_from', ...copies.map(columnOf)].join(', ')})
    select ${[`${name}.tenant_id`, `${name}.id`, 'found.word_from', ...copies.map(textOf)].join(', ')}
      from ${name}
     cross join lateral (${selectWords({ entire: entire.map(textOf), texts: texts.map(textOf) })}) found
     where ${name}.tenant_id = $1 and ${name}.id = $2${rows.softDelete ? ` and ${name}.deleted_at is null` : ''}`;
  const findText = (only: Readonly<Record<string, unknown>>) => `
    select ${idColumn} as id, word_from from ${words}
     where tenant_id = $1 and ${wordBeginsWith('$2')} and (word_from, ${idColumn}) > ($3, $4::uuid)${equalTo(only, 6)}
       and not exists (select from ${words} earlier
                        where earlier.tenant_id = $1 and earlier.${idColumn} = ${words}.${idColumn}
                          and earlier.word_from >= lower($2) and earlier.word_from < ${words}.word_from)
     order by word_from, ${idColumn} limit $5`;

  async function write(tx: TenantDatabase, rowId: string): Promise<void> {
    await tx.query(writing, [rowId]);
  }

  async function clear(tx: TenantDatabase, rowId: string): Promise<void> {
    await tx.query(clearing, [rowId]);
  }

  return {
    write,
    clear,
    async rewrite(tx, rowId) {
      await clear(tx, rowId);
      await write(tx, rowId);
    },
    dependOn: (patch) => [...texts, ...entire, ...copies].some((property) => patch[property] !== undefined),
    async page(db, text, values, { limit, cursor }) {
      const only = Object.fromEntries(
        copies.flatMap((property) => (values[property] === undefined ? [] : [[property, values[property]]])),
      );
      const [, word = '', lastId = nilId] = cursor === undefined ? [] : decodeCursor(cursor, order);
      const form = await searchedForm(db, words, text.trim(), only);
      const found = await db.query<Found>(findText(only), [form, word, lastId, limit + 1, ...Object.values(only)]);
      return pageOfRows(found, limit, (last) => [order, last.wordFrom, last.id]);
    },
  };
}

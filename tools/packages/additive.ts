/**
 * Which migrations are additive: the former release works on the database after them, and what each release writes, the
 * other can read and change. An operator may go back from an upgrade whose migrations are all additive without losing
 * data. It is derived from the statements of `up`, and whatever is not known to be additive counts as not additive:
 *
 * - new tables, if their foreign keys to existing tables cascade: rows of the new release would keep the former one from
 *   deleting what they refer to. Tenants are an exception, whose removal removes the rows of every table;
 * - new columns that may be null or have a constant or computed default, without uniqueness, references or generation;
 * - constraints and unique indexes on new tables, or on nothing but new columns that are null by default;
 * - indexes that are not unique, sequences and comments;
 * - all of these on condition that the database has something, such as a collation.
 *
 * A migration that changes a table which an earlier one of its package has created is additive if the package is new to a
 * box: both are applied together then, and the former release knows neither. So is the first change of the tier of a box.
 *
 * Changes of rows are not additive: what they derive from other rows, the former release would not keep up to date, and
 * the migration runs only once. `export const additive = false` in a migration says the same where statements cannot.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { statementsOf } from '../../runtime/db/citus/statements.ts';

/** What a package publishes of a migration, in `migrations` of its own member of package.json, by file name. */
export type MigrationKind = 'additive' | 'additiveIfNew' | 'changing';

interface MigrationModule {
  up?: (knex: unknown) => unknown;
  additive?: unknown;
}

/** Returns the kind of each migration in a folder, by file name; undefined without any. */
export async function kindsOfMigrations(folder: string): Promise<Record<string, MigrationKind> | undefined> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.js')).sort();
  if (names.length === 0) return undefined;
  const kinds: Record<string, MigrationKind> = {};
  const own = new Set<string>();
  for (const name of names) kinds[name] = await kindOfMigration(join(folder, name), own);
  return kinds;
}

/**
 * @param own tables that earlier migrations of the package have created; those of this one are added
 * @throws Error if the file cannot be loaded
 */
export async function kindOfMigration(path: string, own: Set<string> = new Set()): Promise<MigrationKind> {
  const module = (await import(pathToFileURL(path).href)) as MigrationModule;
  if (module.additive === false) return 'changing';
  const sql = await statementsIn(module);
  if (sql === undefined) return 'changing';
  const isOfNew = isAdditive(sql, own);
  const kind = isAdditive(sql) ? 'additive' : isOfNew ? 'additiveIfNew' : 'changing';
  if (kind !== 'changing') for (const table of createdTables(sql)) own.add(table);
  return kind;
}

/** Runs `up` without a database. @returns the SQL; undefined if it does more than run SQL whose results it ignores */
async function statementsIn({ up }: MigrationModule): Promise<string | undefined> {
  const parts: string[] = [];
  let isJudged = true;
  const unusable = (): never => {
    isJudged = false; // also if the migration catches the error
    throw new Error('a migration that uses results, bindings or builders cannot be judged');
  };
  const forbidden: ProxyHandler<object> = { get: unusable, has: unusable, apply: unusable };
  const raw = (sql: unknown, ...bindings: unknown[]) => {
    if (typeof sql !== 'string' || bindings.length > 0) unusable();
    parts.push(sql as string);
    return Promise.resolve();
  };
  const knex = new Proxy(() => undefined, {
    ...forbidden,
    get: (_, name) => (name === 'raw' ? raw : unusable()),
  });
  try {
    await up?.(knex);
  } catch {
    return undefined;
  }
  return up && isJudged ? parts.join(';\n') : undefined;
}

const name = String.raw`(?:"[^"]+"|\w+)(?:\.(?:"[^"]+"|\w+))?`;
const createTable = new RegExp(String.raw`^create table (${name}) ?\(((?:(?!\binherits\b)[\s\S])*)\)$`, 'i');
const createIndex = new RegExp(
  String.raw`^create (unique )?index (?:concurrently )?(?:if not exists )?\w+ on (?:only )?(${name}) ?(?:using \w+ )?\(([\s\S]*)$`,
  'i',
);
const conditional = /^do \$(\w*)\$ begin if exists \(select from \w+ where [^;]*?\) then (.*;) end if; end;? ?\$\1\$$/i;
const alterTable = new RegExp(String.raw`^alter table (?:only )?(${name}) ([\s\S]*)$`, 'i');
const addColumn = /^add (?:column )(?:if not exists )?(\w+) ([\s\S]*)$/i;
const addCheck = /^add (?:constraint \w+ )?check ?\(([\s\S]*)\)$/i;
const setDefault = /^alter column (\w+) set default /i;
const reference = new RegExp(String.raw`references (${name})(?: ?\([^)]*\))?([^,]*)`, 'gi');

/** Words that checks of new columns use besides these columns. */
const knownWords = new Set(
  'and or not is null true false in between any all array like cardinality char_length length jsonb_typeof'.split(' '),
);

/**
 * Whether all statements are additive.
 * @param sql of `up`, without bindings
 * @param own tables that the former release does not have either
 */
export function isAdditive(sql: string, own: ReadonlySet<string> = new Set()): boolean {
  const tables = new Set(own);
  /** Columns added to existing tables, `table.column`; those that are null by default are in both. */
  const columns = new Set<string>();
  const nullable = new Set<string>();
  return statementsOf(sql).every((statement) => {
    const text = statement.replaceAll(/\s+/g, ' ').trim();
    const table = createTable.exec(text);
    if (table) {
      const [, created = '', body = ''] = table;
      tables.add(created);
      return cascades(body, tables);
    }
    const [, , inside] = conditional.exec(text) ?? [];
    if (inside !== undefined) return isAdditive(inside, tables);
    const index = createIndex.exec(text);
    if (index) {
      const [, unique, of = '', rest = ''] = index;
      const [inside = ''] = rest.split(/\) ?where |\)$/i);
      const onNew = inside.split(',').some((column) => nullable.has(`${of}.${column.trim()}`));
      return !unique || tables.has(of) || onNew;
    }
    const [, altered = '', action = ''] = alterTable.exec(text) ?? [];
    if (!action) return /^(create sequence|comment on) /i.test(text);
    if (own.has(altered) && /^drop (constraint|column) /i.test(action)) return cascades(action, tables);
    if (tables.has(altered)) return !/^(drop|rename)\b/i.test(action) && cascades(action, tables);
    const column = addColumn.exec(action);
    if (column) {
      const [, added = '', definition = ''] = column;
      const hasDefault = / default /i.test(` ${definition}`);
      columns.add(`${altered}.${added}`);
      if (!hasDefault) nullable.add(`${altered}.${added}`);
      if (/\b(unique|primary key|references|generated|check|serial|bigserial|smallserial)\b/i.test(definition))
        return false;
      return hasDefault || !/\bnot null\b/i.test(definition);
    }
    const [, condition] = addCheck.exec(action) ?? [];
    if (condition) return usesOnly(condition, altered, columns);
    const [, changed] = setDefault.exec(action) ?? [];
    return changed !== undefined && columns.has(`${altered}.${changed}`);
  });
}

function createdTables(sql: string): string[] {
  return statementsOf(sql).flatMap((statement) => {
    const [, created] = createTable.exec(statement.replaceAll(/\s+/g, ' ').trim()) ?? [];
    return created ? [created] : [];
  });
}

/** Whether the deletion of rows of existing tables is never refused because of new rows. */
function cascades(definition: string, created: ReadonlySet<string>): boolean {
  for (const [, table = '', actions = ''] of definition.matchAll(reference)) {
    if (!created.has(table) && table !== 'tenants' && !/ on delete cascade\b/i.test(actions)) return false;
  }
  return true;
}

/** Whether a condition has no words but keywords and the names of new columns. */
function usesOnly(condition: string, table: string, columns: ReadonlySet<string>): boolean {
  const words = condition.replaceAll(/'(?:[^']|'')*'/g, ' ').match(/[A-Za-z_"]\w*/g) ?? [];
  return words.every((word) => knownWords.has(word.toLowerCase()) || columns.has(`${table}.${word}`));
}

/**
 * The one pool of connections to PostgreSQL, and what a value looks like when it comes out of it.
 */
import knexModule, { type Knex } from 'knex';
import pg from 'pg';
import { batchWrites, type WritingConnection } from './batch-writes.ts';
import type { Answer, Connection } from './client.ts';
import { type DatabaseObserver, observeStatements } from './observer.ts';

const { types } = pg;

/**
 * An instant in ISO 8601, to the millisecond. Where the server speaks of UTC, as most do, it is a matter of letters; a
 * `Date` reads PostgreSQL's form slowly, and lists are full of instants.
 */
export function instant(text: string): string {
  // 2026-02-28 09:30:00.123456+00
  if (text[10] !== ' ' || !text.endsWith('+00')) return new Date(text).toISOString();
  const fraction = text.slice(20, Math.min(23, text.length - 3));
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0')}Z`;
}

/** Instants as ISO 8601 UTC, whole numbers as numbers (amounts stay far below 2^53), dates as text. */
const parsers = new Map<number, (text: string) => unknown>([
  [types.builtins.TIMESTAMPTZ, instant],
  [types.builtins.INT8, Number],
  [types.builtins.DATE, (text) => text],
]);

const typeParsers = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    parsers.get(oid) ?? types.getTypeParser(oid, format as 'text'),
};

/**
 * How statements are planned. Each is constant text that runs again and again: planned once a connection, not at each
 * execution. Such a plan outlives the size its tables had, so an index is taken from the first pages on, at the price
 * that reading by index has on today's disks.
 */
export const planning = '-c plan_cache_mode=force_generic_plan -c random_page_cost=1.1';

/** A statement whose asker is gone, cut at its deadline or by a crash, is ended by the server within this time. */
const noticing = '-c client_connection_check_interval=500ms';

export interface ConnectionOptions {
  url: string;
  /** Most connections at once. */
  poolSize?: number;
  applicationName?: string;
  /** The role the connections take on; the user's own unless given. */
  role?: string | null;
  /** Longest time of one statement, in milliseconds; as long as it takes unless given. */
  statementTimeout?: number;
  /** More settings of the server for these connections. */
  settings?: Record<string, string>;
  /** Is told of every wait and every statement. */
  observer?: DatabaseObserver;
}

/** Opens the pool; nothing is connected before the first query. Columns are snake_case there and camelCase here. */
export function connect({
  url,
  poolSize = 10,
  applicationName = 'box',
  role,
  statementTimeout,
  settings = {},
  observer,
}: ConnectionOptions): Knex {
  const limits = [
    role ? `-c role=${role.replaceAll(/[\\ ]/g, '\\$&')}` : '',
    statementTimeout ? `-c statement_timeout=${statementTimeout}` : '',
    ...Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`),
  ];
  return knexModule({
    client: 'pg',
    // Asked for with each new connection unless it is told: the least that is supported.
    version: '15.0',
    connection: {
      connectionString: url,
      types: typeParsers,
      application_name: applicationName,
      options: [planning, noticing, ...limits].join(' '),
      // Statements that do not wait for each other's answers travel together.
      pipeline: true,
    } as Knex.PgConnectionConfig,
    pool: { min: 0, max: poolSize, afterCreate: prepared(observer) },
    // Where pool.ts finds it; knex documents it and leaves it out of its types.
    ...({ userParams: { observer } } as object),
    acquireConnectionTimeout: 5000,
    // What goes wrong is thrown, and said once by whoever catches it.
    log: { warn() {}, error() {}, deprecate() {}, debug() {} },
    wrapIdentifier: (name, original) => original(toSnakeCase(name)),
    postProcessResponse: (result) => (Array.isArray(result) ? result.map(camelCaseRow) : camelCaseRow(result)),
  });
}

function prepared(observer: DatabaseObserver | undefined) {
  return (connection: Connection & WritingConnection, done: (error: null, connection: Connection) => void) => {
    batchWrites(connection);
    if (observer) observeStatements(connection, observer);
    done(null, connection);
  };
}

const snakeNames = new Map<string, string>();
const camelNames = new Map<string, string>();

/** A name as it stands in a statement. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** `lineItemId` becomes `line_item_id`. */
export function toSnakeCase(name: string): string {
  let snake = snakeNames.get(name);
  if (snake === undefined) {
    snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    snakeNames.set(name, snake);
  }
  return snake;
}

/** `line_item_id` becomes `lineItemId`. */
export function toCamelCase(name: string): string {
  let camel = camelNames.get(name);
  if (camel === undefined) {
    camel = name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
    camelNames.set(name, camel);
  }
  return camel;
}

/** A row with its columns' names in camelCase; values, also JSON ones, stay as they are. */
export function camelCaseRow<T>(row: T): T {
  if (row === null || typeof row !== 'object' || Array.isArray(row) || row instanceof Date) return row;
  const renamed: Record<string, unknown> = {};
  for (const key in row) renamed[toCamelCase(key)] = row[key];
  return renamed as T;
}

/** The rows of an answer in `rowMode` array, with their columns' names in camelCase. */
export function rowsOf({ rows, fields }: Pick<Answer, 'rows' | 'fields'>): Record<string, unknown>[] {
  const names = fields.map(({ name }) => toCamelCase(name));
  return (rows as unknown[][]).map((values) => {
    const row: Record<string, unknown> = {};
    for (let index = 0; index < names.length; index++) row[names[index] as string] = values[index];
    return row;
  });
}

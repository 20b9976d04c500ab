/**
 * Connection pools, and how values from PostgreSQL are represented in JavaScript.
 */
import knexModule, { type Knex } from 'knex';
import pg from 'pg';
import { batchWrites, type WritingConnection } from './batch-writes.ts';
import type { Connection } from './client.ts';
import { Lanes } from './lanes.ts';
import { type DatabaseObserver, observeStatements } from './observer.ts';

const { types } = pg;

/**
 * A timestamp in ISO 8601, to the millisecond. With the server's time zone set to UTC, as usual, the text is only
 * rearranged: `Date` parses PostgreSQL's format slowly, and lists contain many timestamps.
 */
export function instant(text: string): string {
  // 2026-02-28 09:30:00.123456+00
  if (text[10] !== ' ' || !text.endsWith('+00')) return new Date(text).toISOString();
  const fraction = text.slice(20, Math.min(23, text.length - 3));
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0')}Z`;
}

/** Timestamps as ISO 8601 in UTC, bigint as number (amounts stay far below 2^53), dates as text. */
const parsers = new Map<number, (text: string) => unknown>([
  [types.builtins.TIMESTAMPTZ, instant],
  [types.builtins.INT8, Number],
  [types.builtins.DATE, (text) => text],
]);

const { TEXT, VARCHAR, UUID, DATE } = types.builtins;
const texts = new Set<number>([TEXT, VARCHAR, UUID, DATE]);

/** Whether values of a type are texts, as they are sent. */
export const isText = (oid: number) => texts.has(oid);

/** How values of a type become JavaScript values. */
export const typeParsers = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    parsers.get(oid) ?? types.getTypeParser(oid, format as 'text'),
};

/**
 * How statements are planned. Their texts are constant, so each is planned once for a connection and not at every
 * execution. Such a plan outlives the table sizes it was made for: with the cost of a random read on an SSD, indexes
 * are used from the first pages on.
 */
export const planning = '-c plan_cache_mode=force_generic_plan -c random_page_cost=1.1';

/** How often the server checks a running statement's connection, which is closed at a deadline or by a crash. */
const connectionCheck = '-c client_connection_check_interval=500ms';

export interface ConnectionOptions {
  url: string;
  /** Maximum number of connections. Default: 10. */
  poolSize?: number;
  applicationName?: string;
  /** The role that connections switch to. Default: the login user. */
  role?: string | null;
  /** Transactions that work at the same time (lanes.ts). Default: as many as there are connections. */
  lanes?: number | Lanes | undefined;
  /** Milliseconds that work waits for a connection. Default: 5000. */
  acquireTimeout?: number;
  /** Milliseconds that one statement may take. Default: no limit. */
  statementTimeout?: number;
  /** Further server settings for these connections. */
  settings?: Record<string, string>;
  /** Receives every wait for a connection and every statement. */
  observer?: DatabaseObserver;
}

/** Opens a pool, which connects at the first query. Column names are snake_case in SQL and camelCase in results. */
export function connect(options: ConnectionOptions): Knex {
  return knexModule(poolSettings(options));
}

/** The settings of knex for a pool. */
export function poolSettings({
  url,
  poolSize = 10,
  applicationName = 'box',
  role,
  acquireTimeout = 5000,
  statementTimeout,
  settings = {},
  observer,
  lanes,
}: ConnectionOptions): Knex.Config {
  const limits = [
    role ? `-c role=${role.replaceAll(/[\\ ]/g, '\\$&')}` : '',
    statementTimeout ? `-c statement_timeout=${statementTimeout}` : '',
    ...Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`),
  ];
  return {
    client: 'pg',
    // The oldest version supported. Without it knex queries the version on each new connection.
    version: '15.0',
    connection: {
      connectionString: url,
      types: typeParsers,
      application_name: applicationName,
      options: [planning, connectionCheck, ...limits].join(' '),
      // Statements that are not awaited one by one share a round trip.
      pipeline: true,
    } as Knex.PgConnectionConfig,
    pool: { min: 0, max: poolSize, afterCreate: prepareWith(observer) },
    // Read in pool.ts; knex documents the option but its types lack it.
    ...({ userParams: { observer, lanes: typeof lanes === 'number' ? new Lanes(lanes) : lanes } } as object),
    acquireConnectionTimeout: acquireTimeout,
    // Errors are thrown, and logged once by the code that catches them.
    log: { warn() {}, error() {}, deprecate() {}, debug() {} },
    wrapIdentifier: (name, original) => original(toSnakeCase(name)),
    postProcessResponse: (result) => (Array.isArray(result) ? result.map(camelCaseRow) : camelCaseRow(result)),
  };
}

function prepareWith(observer: DatabaseObserver | undefined) {
  return (connection: Connection & WritingConnection, done: (error: null, connection: Connection) => void) => {
    batchWrites(connection);
    if (observer) observeStatements(connection, observer);
    done(null, connection);
  };
}

const snakeNames = new Map<string, string>();
const camelNames = new Map<string, string>();

/** A name as a quoted SQL identifier. */
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

/** A row with its column names in camelCase; values, including JSON values, are not changed. */
export function camelCaseRow<T>(row: T): T {
  if (row === null || typeof row !== 'object' || Array.isArray(row) || row instanceof Date) return row;
  const renamed: Record<string, unknown> = {};
  for (const key in row) renamed[toCamelCase(key)] = row[key];
  return renamed as T;
}

/**
 * The one pool of connections to PostgreSQL, and what a value looks like when it comes out of it.
 */
import knexModule, { type Knex } from 'knex';
import pg from 'pg';
import { invalidRequest, type Problem, unavailable } from '../http/problems.ts';

const { types } = pg;

/** Instants as ISO 8601 UTC, whole numbers as numbers (amounts stay far below 2^53), dates as text. */
const parsers = new Map<number, (text: string) => unknown>([
  [types.builtins.TIMESTAMPTZ, (text) => new Date(text).toISOString()],
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

export interface ConnectionOptions {
  url: string;
  /** Most connections at once. */
  poolSize?: number;
  applicationName?: string;
  /** The role the connections take on; the user's own unless given. */
  role?: string | null;
}

/** Opens the pool; nothing is connected before the first query. Columns are snake_case there and camelCase here. */
export function connect({ url, poolSize = 10, applicationName = 'box', role }: ConnectionOptions): Knex {
  return knexModule({
    client: 'pg',
    connection: {
      connectionString: url,
      types: typeParsers,
      application_name: applicationName,
      options: role ? `${planning} -c role=${role.replaceAll(/[\\ ]/g, '\\$&')}` : planning,
      // Statements that do not wait for each other's answers travel together.
      pipeline: true,
    } as Knex.PgConnectionConfig,
    pool: { min: 0, max: poolSize },
    acquireConnectionTimeout: 5000,
    // What goes wrong is thrown, and said once by whoever catches it.
    log: { warn() {}, error() {}, deprecate() {}, debug() {} },
    wrapIdentifier: (name, original) => original(toSnakeCase(name)),
    postProcessResponse: (result) => (Array.isArray(result) ? result.map(camelCaseRow) : camelCaseRow(result)),
  });
}

/** A connection of pg, as far as it is used here. */
export interface Connection {
  /** The tenant whose rows it sees (row-security.ts). */
  tenantId?: string;
  query(config: {
    name?: string;
    text: string;
    values?: readonly unknown[];
  }): Promise<{ rows: unknown[]; rowCount: number }>;
}

/** Work on one connection of the pool, which gets it back; one that broke is not handed out again. */
export async function withConnection<T>(knex: Knex, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await knex.client.acquireConnection();
  try {
    return await work(connection);
  } catch (error) {
    // The server says goodbye before the socket closes: without this mark the next one would be given the dead connection.
    if (problemOfDatabaseError(error)?.type.status === 503) connection.__knex__disposed ??= error;
    throw error;
  } finally {
    knex.client.releaseConnection(connection);
  }
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

function toCamelCase(name: string): string {
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

const unreachable = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN']);

/**
 * The problem an error of the database stands for: 503 while it is away or broke a deadlock (class 40), 400 for a value it cannot hold
 * (class 22 of the SQLSTATE codes), undefined for what is our own fault.
 */
export function problemOfDatabaseError(error: unknown): Problem | undefined {
  const { code, name, message } = error as { code?: unknown; name?: string; message?: string };
  const state = typeof code === 'string' ? code : '';
  const away =
    unreachable.has(state) ||
    /^(08|40|53|57P)/.test(state) ||
    name === 'KnexTimeoutError' ||
    /Connection terminated|connection timeout/i.test(message ?? '');
  if (away) return unavailable('The database does not answer at the moment.', { headers: { 'Retry-After': '2' } });
  if (/^22/.test(state)) return invalidRequest('A value cannot be stored as it is.');
  return undefined;
}

/** True for a violation of a unique constraint, of the named one if given (SQLSTATE 23505). */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const violation = error as { code?: string; constraint?: string };
  return violation?.code === '23505' && (constraint === undefined || violation.constraint === constraint);
}

/** True for a violation of a foreign key, of the named one if given (SQLSTATE 23503). */
export function isForeignKeyViolation(error: unknown, constraint?: string): boolean {
  const violation = error as { code?: string; constraint?: string };
  return violation?.code === '23503' && (constraint === undefined || violation.constraint === constraint);
}

/**
 * A connection to PostgreSQL, as the pool returns it.
 */

/** pg's result of a query, as far as it is used here. */
export interface QueryResult {
  /** What PostgreSQL did: it answers `ROLLBACK` to the commit of a transaction that has failed. */
  command: string;
  rows: unknown[];
  rowCount: number;
}

/** A connection of pg, as far as it is used here. */
export interface Connection {
  /** The tenant whose rows the connection can see (row-security.ts). */
  tenantId?: string;
  /** Milliseconds that the current work waited for this connection; set where the pool is observed. */
  waited?: number;
  /** Sends a query object of pg, which receives the messages of its result. */
  query(query: object, callback: (error: unknown, result: never) => void): unknown;
  /** Sends a statement without values, for which pg need not copy an object. */
  query(text: string): Promise<QueryResult>;
  query(config: { name?: string; text: string; values?: readonly unknown[] }): Promise<QueryResult>;
}

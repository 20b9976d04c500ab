/**
 * One connection to PostgreSQL, as the pool lends it.
 */

/** What PostgreSQL answered, as far as it is used here. */
export interface Answer {
  rows: unknown[];
  rowCount: number;
  fields: { name: string }[];
}

/** A connection of pg, as far as it is used here. */
export interface Connection {
  /** The tenant whose rows it sees (row-security.ts). */
  tenantId?: string;
  /** Milliseconds that the work which has it now waited for it; known where it is observed. */
  waited?: number;
  query(config: {
    name?: string;
    text: string;
    values?: readonly unknown[];
    /** Each row as the list of its values, in the order of the answer's `fields`. */
    rowMode?: 'array';
  }): Promise<Answer>;
}

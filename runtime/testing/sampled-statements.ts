/**
 * The statements that functions of stores send, without a database: each function runs on a connection that notes what is
 * sent and answers with no rows, or with those that the sample gives.
 */
import type { Connection, QueryResult } from '../db/client.ts';
import { connect } from '../db/connection.ts';
import type { Database } from '../db/database.ts';
import { newId } from '../db/id.ts';
import { singlePlacement } from '../db/placement.ts';
import { TenantDatabase } from '../db/tenant-database.ts';
import { type Contribution, gatherExtensions } from '../extension/extension.ts';

/** What a sample may use. */
export interface Sampled {
  /** In a transaction. */
  db: TenantDatabase;
  database: Database;
  /** An id, the same for all samples. */
  id: string;
  /** The rows of the next statement without any, with camelCase names. */
  answer(rows: readonly object[]): void;
}

/** By the name of the function, or the name with a word for the arguments: `listOrders: ({ db }) => listOrders(db, …)`. */
export type StatementSamples = Readonly<Record<string, (sampled: Sampled) => unknown>>;

/** A statement as it was sent, `$1` the tenant. */
export interface SampledStatement {
  text: string;
  values: readonly unknown[];
}

/**
 * Runs samples, and returns the statements of each by its name. What a function throws since rows are missing ends its
 * sample. @throws Error for a sample that sends no statement
 */
export async function statementsOfSamples(
  samples: StatementSamples,
  contributions: readonly Contribution[],
): Promise<Map<string, SampledStatement[]>> {
  const extensions = gatherExtensions(contributions);
  // Never connects: all statements go to the connection below.
  const knex = connect({ url: 'postgres://nowhere.invalid/' });
  const id = newId();
  const found = new Map<string, SampledStatement[]>();
  for (const [name, run] of Object.entries(samples)) {
    const sent: SampledStatement[] = [];
    const answers: (readonly object[])[] = [];
    const query = (
      config: string | { text: string; values?: readonly unknown[] },
      callback?: (error: null, result: unknown) => void,
    ) => {
      const { text, values = [] } = typeof config === 'string' ? { text: config } : config;
      sent.push({ text, values });
      const rows = answers.shift() ?? [];
      const result = { command: 'SELECT', rows } as unknown as QueryResult;
      if (!callback) return Promise.resolve(result);
      callback(null, result);
    };
    const connection = { query } as unknown as Connection;
    const placements = singlePlacement(knex);
    const db = new TenantDatabase(knex, placements, id, {
      extensions,
      connection,
      placement: await placements.of(id),
    });
    const database: Database = {
      knex,
      extensions,
      box: { query: async (text, values) => (await connection.query({ text, values })).rows as never },
      forTenant: () => db,
      close: () => Promise.resolve(),
    };
    try {
      await run({ db, database, id, answer: (rows) => answers.push(rows) });
    } catch (error) {
      if (sent.length === 0) throw new Error(`the sample ${name} fails before its first statement`, { cause: error });
    }
    if (sent.length === 0) throw new Error(`the sample ${name} sends no statement`);
    found.set(name, sent);
  }
  await knex.destroy();
  return found;
}

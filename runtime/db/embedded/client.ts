/**
 * Connections to an embedded PostgreSQL while it starts.
 */
import pg from 'pg';
import { vendor } from '../../vendor.ts';
import { startPatience } from '../start-patience.ts';

/** Creates the database of the vendor, unless there is one. */
export async function ensureDatabase(url: string): Promise<void> {
  const create = async (client: pg.Client) => {
    const found = await client.query('select from pg_database where datname = $1', [vendor.name]);
    if (found.rowCount === 0) await client.query(`create database ${pg.escapeIdentifier(vendor.name)}`);
  };
  await withClient(url, create, startPatience);
}

/** Uses a connection of its own. @param patience milliseconds until it must be open */
export async function withClient<R>(
  url: string,
  use: (client: pg.Client) => Promise<R>,
  patience = 10_000,
): Promise<R> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: patience });
  client.on('error', () => {}); // the query in progress fails with the same error
  try {
    await client.connect();
    return await use(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * A database for one test file: made of the migrated template when the run has one, else empty, and dropped after.
 */
import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** Address of a database whose user may create others; set for the whole run by `npm test`. */
export function administrationUrl(): string {
  const url = process.env.TEST_DATABASE_URL;
  if (!url) throw new Error('TEST_DATABASE_URL is not set: run tests with `npm test -- <files>`');
  return url;
}

/** Runs statements one after another on the administration database. */
export async function administer(...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: administrationUrl() });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** The address of another database on the same server. */
export function urlOfDatabase(name: string): string {
  const url = administrationUrl();
  const [, before, query = ''] = /^(postgres(?:ql)?:\/\/[^/]*\/)[^?]*(\?.*)?$/.exec(url) as RegExpExecArray;
  return `${before}${name}${query}`;
}

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** Makes a database. `template`: with every package's tables (the default when the run has made one), or empty. */
export async function createTestDatabase(from: 'template' | 'empty' = 'template'): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const template = from === 'template' ? process.env.TEST_TEMPLATE : undefined;
  await administer(`create database ${name}${template ? ` template ${template}` : ''}`);
  return { url: urlOfDatabase(name), drop: () => administer(`drop database if exists ${name} with (force)`) };
}

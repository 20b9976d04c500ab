/**
 * Follows SIGNING_KEY_SECRET: when it has another first value, what was encrypted with the other one, or not at all, is
 * encrypted again, row by row. A process that dies in between leaves rows of both kinds, which both values decrypt; the
 * next one continues.
 */
import type { Knex } from 'knex';
import type { Encryption } from './encryption.ts';
import { type Secret, valuesOf } from './registry/secrets.ts';
import type { Job } from './schedule.ts';

interface EncryptionLog {
  info(facts: object, message: string): void;
}

/**
 * Encrypts again at the start and whenever the first value has changed, until nothing is left: a request in progress may
 * have stored a value that was encrypted before the change.
 * @param steps each returns how many rows it replaced
 */
export function encryptionJob(
  secret: Secret | undefined,
  steps: readonly (() => Promise<number>)[],
  log: EncryptionLog,
  interval: number = 5_000,
): Job {
  /** The value with which everything is encrypted. */
  let finishedWith: string | undefined;

  async function encryptAgain(): Promise<void> {
    const [first] = valuesOf(secret);
    if (first === undefined || first === finishedWith) return;
    let rows = 0;
    for (const step of steps) rows += await step();
    if (rows > 0) {
      log.info({ rows }, 'secrets in the database were encrypted again');
      return;
    }
    finishedWith = first;
    if (valuesOf(secret).length > 1)
      log.info(
        {},
        'all secrets in the database are encrypted with the first line of SIGNING_KEY_SECRET_FILE: remove the other',
      );
  }

  return {
    complaint: 'secrets in the database could not be encrypted again',
    interval,
    atStart: true,
    run: encryptAgain,
  };
}

/**
 * Encrypts the values of a column again that are not encrypted with the first value of SIGNING_KEY_SECRET. Each is bound to
 * the `id` of its row, and replaced by one statement, only if it has not been changed in between.
 * @returns how many were replaced
 * @throws Error if one of them cannot be decrypted
 */
export async function encryptColumnAgain(
  db: Knex,
  encryption: Encryption,
  { table, column }: { table: string; column: string },
): Promise<number> {
  let replaced = 0;
  for (const row of await db(table).select('id', column).whereNotNull(column).orderBy('id')) {
    const again = encryption.encryptAgain(row[column], row.id);
    if (again === null) continue;
    replaced += await db(table)
      .where({ id: row.id, [column]: row[column] })
      .update({ [column]: again });
  }
  return replaced;
}

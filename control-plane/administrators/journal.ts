/**
 * The journal: a row for each change by an administrator or the publisher. Rows are only added: a trigger refuses changes
 * and deletions, and each row has a hash over itself and the hash before it, so that a change behind the trigger is found.
 * The hashes have a key that is not in the database (journal-key.ts), so that no one computes them again there.
 */
import { createHash, createHmac } from 'node:crypto';
import { newId, type Page, paginate } from '@carton/runtime/service';
import type { Knex } from 'knex';
import type { JournalKey, JournalKeys } from '../journal-key.ts';
import type { JournalRow, JournalVerification } from './schemas.ts';

/** Key of the advisory lock under which rows are added, so that each follows the one before. */
const lock = 7_041_776_001;
const rowsPerBatch = 1000;

/** The columns that the hash covers, in this order. */
const hashed = [
  'position',
  'id',
  'createdAt',
  'administratorId',
  'administrator',
  'role',
  'operationId',
  'method',
  'path',
  'requestId',
  'status',
  'address',
  'change',
] as const;

export type JournalEntry = Omit<JournalRow, 'position' | 'id' | 'createdAt' | 'hash'>;

/**
 * The HMAC with SHA-256, in hexadecimal, of the hash before the row and the row's values as JSON; for rows before the key
 * the SHA-256.
 */
function hashOf(key: JournalKey | null, before: string | null, row: Omit<JournalRow, 'hash'>): string {
  const values = hashed.map((column) => row[column]);
  const hash = key && row.position >= key.from ? createHmac('sha256', key.key) : createHash('sha256');
  return hash.update(JSON.stringify([before, ...values])).digest('hex');
}

/** Adds a row. The lock is held until the transaction ends, so this is its last statement. */
export async function addToJournal(
  transaction: Knex.Transaction,
  keys: JournalKeys,
  entry: JournalEntry,
): Promise<void> {
  await transaction.raw('select pg_advisory_xact_lock(?)', [lock]);
  const last = await transaction('journal').orderBy('position', 'desc').first('position', 'hash');
  const row = {
    ...entry,
    position: Number(last?.position ?? 0) + 1,
    id: newId(),
    createdAt: new Date().toISOString(),
  };
  const key = await keys.findOrCreate(transaction, row.position);
  await transaction('journal').insert({ ...row, hash: hashOf(key, last?.hash ?? null, row) });
}

/**
 * Compares the hashes of all rows. Missing last rows are not found by it: for that, the hash of an earlier verification
 * must be in the journal. Nor is a key that is missing with all its rows: for that, `keyedFrom` must not have changed.
 */
export async function verifyJournal(db: Knex, keys: JournalKeys): Promise<JournalVerification> {
  const key = await keys.find(db);
  return { ...(await compareRows(db, key)), ...(key && { keyedFrom: key.from }) };
}

async function compareRows(db: Knex, key: JournalKey | null): Promise<JournalVerification> {
  let hash: string | null = null;
  let rows = 0;
  for (;;) {
    const batch = await selectRows(db).where('position', '>', rows).orderBy('position').limit(rowsPerBatch);
    for (const row of batch.map(withNumber)) {
      if (row.position !== rows + 1 || row.hash !== hashOf(key, hash, row)) return { rows, hash, firstWrong: rows + 1 };
      rows = row.position;
      hash = row.hash;
    }
    if (batch.length < rowsPerBatch) return { rows, hash, firstWrong: null };
  }
}

export interface JournalQuery {
  limit: number;
  cursor?: string;
  administrator?: string;
  operationId?: string;
  from?: string;
  to?: string;
}

/** Reads a page of the journal, newest first. `from` is included, `to` is not. */
export async function listJournal(
  db: Knex,
  { administrator, operationId, from, to, ...page }: JournalQuery,
): Promise<Page<JournalRow>> {
  const query = selectRows(db);
  if (administrator !== undefined) query.where({ administrator });
  if (operationId !== undefined) query.where({ operationId });
  if (from !== undefined) query.where('createdAt', '>=', from);
  if (to !== undefined) query.where('createdAt', '<', to);
  const { items, ...rest } = await paginate<JournalRow>(query as never, 'journal', page);
  return { ...rest, items: items.map(withNumber) };
}

function selectRows(db: Knex) {
  return db('journal').select<JournalRow[]>([...hashed, 'hash']);
}

/** PostgreSQL's bigint is read as text. */
function withNumber(row: JournalRow): JournalRow {
  return { ...row, position: Number(row.position) };
}

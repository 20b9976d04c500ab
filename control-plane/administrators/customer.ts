/**
 * The rows of the journal that name a customer, or a licence of the customer.
 */
import type { Knex } from 'knex';

const rowsTogether = 500;

/** Of the row, what concerns the customer: who of the vendor made the change, and from where, is left out. */
const columns = ['position', 'id', 'createdAt', 'role', 'operationId', 'method', 'path', 'status', 'change'];

/**
 * The change as jsonb, which has neither NUL nor halves of surrogate pairs: JSON text may escape them, and PostgreSQL's text
 * has U+FFFD in place of the latter.
 */
const change = String.raw`regexp_replace(change, '\\u(0000|d[89a-f][0-9a-f]{2})', '\\ufffd', 'g')::jsonb`;

/** Licences that the journal has minted or replaced for the customer are found also after their erasure. */
function selectJournalOf(db: Knex, customerId: string): Knex.QueryBuilder {
  const licences = db('license_keys').where({ customerId }).select(db.raw('id::text'));
  return db
    .from('journal')
    .where((either) =>
      either
        .whereRaw(`${change} ->> 'customerId' = ?`, [customerId])
        .orWhereRaw(`${change} ->> 'id' in (?)`, [licences])
        .orWhereRaw(`split_part(path, '/', 4) in (?)`, [licences]),
    );
}

/** Reads the rows in their order. */
export async function* journalOf(db: Knex, customerId: string): AsyncGenerator<object> {
  let last = 0;
  for (;;) {
    const rows = await selectJournalOf(db, customerId)
      .where('position', '>', last)
      .orderBy('position')
      .limit(rowsTogether)
      .select(columns);
    for (const { position, change, ...row } of rows) {
      last = Number(position);
      yield { ...row, change: JSON.parse(change) };
    }
    if (rows.length < rowsTogether) return;
  }
}

/** Counts the rows. */
export async function countJournalOf(db: Knex, customerId: string): Promise<number> {
  const [row] = await selectJournalOf(db, customerId).count({ count: '*' });
  return Number(row?.count);
}

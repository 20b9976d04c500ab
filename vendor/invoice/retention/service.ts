/**
 * Deletes invoices that tax law no longer requires: years after the end of the year of issue. The database rejects earlier
 * deletions (`invoices_reject_changes`), so the setting can only be longer.
 */
import { findStore } from '@carton/core';
import { job, type TenantDatabase } from '@carton/runtime';
import { invoiceSettings } from '../settings.ts';

/**
 * The time before which invoices are deleted; `$2`: years, `$3`: the time zone of the store. A year has ended once it has
 * in that zone and in UTC, by which the database rejects deletions: no invoice is deleted too early.
 */
const cutoff = `
  least(date_trunc('year', now()) - $2 * interval '1 year',
        (date_trunc('year', now() at time zone $3) - $2 * interval '1 year') at time zone $3)`;

/** An invoice that is old, and without newer credit notes: an invoice stays as long as the last that corrects it. */
const isOld = `
  invoices.tenant_id = $1 and invoices.kind = 'invoice' and invoices.created_at < ${cutoff}
  and not exists (
    select from invoices note
     where note.tenant_id = $1 and note.order_id = invoices.order_id and note.invoice_id = invoices.id
       and note.created_at >= ${cutoff})`;

/** Locks the balances, so that no credit note is issued meanwhile; `$4`: how many. */
export const oldInvoicesText = `
  select invoices.id, invoices.order_id
    from invoices
    join invoice_balances on invoice_balances.tenant_id = $1 and invoice_balances.invoice_id = invoices.id
   where ${isOld}
   order by invoices.created_at, invoices.id limit $4
     for update of invoice_balances skip locked`;

/** Among the locked ones, without those for which a credit note was issued before the lock. */
const stillOldText = `select id, order_id from invoices where ${isOld} and invoices.id = any($4::uuid[])`;

interface Found {
  id: string;
  orderId: string;
}

/** Deletes a batch; returns the number of invoices that were found. */
async function deleteBatch(tx: TenantDatabase, years: number, timeZone: string, size: number): Promise<number> {
  const locked = await tx.query<Found>(oldInvoicesText, [years, timeZone, size]);
  const old = await tx.query<Found>(stillOldText, [years, timeZone, locked.map(({ id }) => id)]);
  const ids = old.map(({ id }) => id);
  const orderIds = old.map(({ orderId }) => orderId);
  await tx.query('delete from invoice_balances where tenant_id = $1 and invoice_id = any($2::uuid[])', [ids]);
  await tx.query(
    `delete from invoices
      where tenant_id = $1 and order_id = any($2::uuid[]) and (id = any($3::uuid[]) or invoice_id = any($3::uuid[]))`,
    [orderIds, ids],
  );
  return locked.length;
}

/**
 * Deletes the old invoices of a store with their credit notes. Series keep their last number, so none is drawn again.
 * @param batchSize invoices in one transaction: few, so that none holds its row locks for long
 */
export async function deleteOldInvoices(db: TenantDatabase, batchSize = 200): Promise<void> {
  const store = await findStore(db);
  const { keepYears } = invoiceSettings.of(store);
  const nextBatch = () => db.transaction((tx) => deleteBatch(tx, keepYears, store.timeZone, batchSize));
  while ((await nextBatch()) === batchSize);
}

export const deleteOld = job({ name: 'invoice.delete-old', everySeconds: 86_400, run: (db) => deleteOldInvoices(db) });

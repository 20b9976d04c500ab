/**
 * Deletes invoices that tax law no longer requires: years after the end of the year of issue. The database rejects earlier
 * deletions (`invoices_reject_changes`), so the setting can only be longer.
 */
import { findStore } from '@carton/core';
import { job, type TenantDatabase } from '@carton/runtime';
import { invoiceSettings } from '../settings.ts';
import { deleteInvoices, lockOld, stillOld } from './store.ts';

/** Deletes a batch; returns the number of invoices that were found. */
async function deleteBatch(tx: TenantDatabase, years: number, timeZone: string, size: number): Promise<number> {
  const locked = await lockOld(tx, { years, timeZone }, size);
  await deleteInvoices(tx, await stillOld(tx, { years, timeZone }, locked));
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

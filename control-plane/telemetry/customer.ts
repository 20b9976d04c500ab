/**
 * The downloads of a customer as a whole: export and erasure.
 */
import type { Knex } from 'knex';
import { lockRollUps } from './roll-up.ts';
import { eachReport, eachRollup } from './search.ts';

/** All that is stored of a customer's downloads, by section. */
export function exportDownloads(db: Knex, customerId: string): Record<string, AsyncIterable<object>> {
  return {
    downloads: eachReport(db, { customerId }),
    downloadsByDay: eachRollup(db, { customerId }),
    downloadsInTotal: eachTotal(db, customerId),
  };
}

async function* eachTotal(db: Knex, customerId: string): AsyncGenerator<object> {
  yield* await db('download_totals').where({ customerId }).orderBy(['packageName', 'outcome', 'version']);
}

/** Removes the reports and counts of a customer. Returns how many of each. */
export async function eraseDownloads(
  transaction: Knex.Transaction,
  customerId: string,
): Promise<{ downloads: number; downloadsByDay: number; downloadsInTotal: number }> {
  // A count in progress would add what is removed here.
  await lockRollUps(transaction);
  const downloads = await transaction('download_reports').where({ customerId }).delete();
  const downloadsByDay = await transaction('download_rollups').where({ customerId }).delete();
  const downloadsInTotal = await transaction('download_totals').where({ customerId }).delete();
  return { downloads, downloadsByDay, downloadsInTotal };
}

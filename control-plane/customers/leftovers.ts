/**
 * What erasures had to leave for a time.
 */
import type { Knex } from 'knex';
import { removeErasedBoxes } from '../boxes/customer.ts';
import { removeOldMarks } from '../erasures.ts';
import { removeErasedLicenses } from '../license/customer.ts';

/** Removes what need not stay any longer. */
export async function removeLeftovers(db: Knex): Promise<void> {
  await removeErasedBoxes(db);
  await removeErasedLicenses(db);
  await removeOldMarks(db);
}

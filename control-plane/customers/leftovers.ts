/**
 * What erasures had to leave for a time.
 */
import type { Knex } from 'knex';
import { removeErasedBoxes } from '../boxes/customer.ts';
import { removeOldMarks } from '../erasures.ts';
import { removeErasedLicenses } from '../license/customer.ts';
import type { Job } from '../schedule.ts';

export function leftoverJob(db: Knex): Job {
  return {
    complaint: 'leftovers of erased customers could not be removed',
    interval: 3_600_000,
    run: () => removeLeftovers(db),
  };
}

/** Removes what need not stay any longer. */
export async function removeLeftovers(db: Knex): Promise<void> {
  await removeErasedBoxes(db);
  await removeErasedLicenses(db);
  await removeOldMarks(db);
}

/**
 * Letting go of what is reserved and has come to its end.
 */
import type { TenantDatabase } from '@carton/runtime';
import { releaseEnded } from './service.ts';
import { findEnded } from './store.ts';

const batch = 100;

/**
 * Frees every reservation that has come to its end, each in a transaction of its own. One that is sold or prolonged at
 * the same moment is its owner's: of the two, whoever locks it first has it. May be run by several at once.
 */
export async function releaseAllEnded(db: TenantDatabase): Promise<void> {
  for (;;) {
    const references = await findEnded(db, batch);
    for (const reference of references) await db.transaction((tx) => releaseEnded(tx, reference));
    if (references.length < batch) return;
  }
}

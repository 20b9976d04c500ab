/**
 * What services have said of tax numbers, as personal data: the name and address of a sole trader. The answers are found by
 * hashes only, so nobody's can be told from others': erasure deletes them all, and the services are asked again.
 */
import { job, type PersonalData, type TenantDatabase } from '@carton/runtime';
import { deleteChecks, deleteExpiredChecks } from './store.ts';

export const personalChecks: PersonalData = {
  name: 'tax_numbers',
  keeps: [
    {
      table: 'tax_number_checks',
      columns: ['answer'],
      reason: 'To prove that your order needs no tax.',
      kept: 'until it expires, after a day unless the store has another time',
    },
  ],
  find: async () => ({}),
  exportData: async () => null,
  erase: (tx) => deleteChecks(tx),
};

const batch = 500;

async function forgetExpired(db: TenantDatabase): Promise<void> {
  while ((await deleteExpiredChecks(db, batch)) === batch);
}

export const forgetChecks = job({ name: 'tax.forget-checks', everySeconds: 3600, run: forgetExpired });

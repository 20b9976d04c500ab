/**
 * The licences of a customer as a whole: export and erasure, with their installations and activations.
 */
import { eachRow } from '@carton/runtime/service';
import type { Knex } from 'knex';
import type { License } from './schemas.ts';
import { selectLicenses } from './store.ts';
import { longestTokenHours } from './withdrawals.ts';

const ofCustomer = (db: Knex, table: string, customerId: string) =>
  db(table).whereIn('licenseId', db('license_keys').where({ customerId }).select('id'));

/** All that is stored of a customer's licences except the hashes of their keys, by section. */
export function exportLicenses(db: Knex, customerId: string): Record<string, AsyncIterable<object>> {
  return {
    licences: eachRow(() => selectLicenses(db).where({ customerId }) as never, 'license_keys'),
    installations: eachRow(
      () => ofCustomer(db, 'license_installations', customerId).select('*') as never,
      'license_installations',
    ),
    activations: eachRow(
      () => ofCustomer(db, 'license_activations', customerId).select('*') as never,
      'license_activations',
    ),
    warnings: eachWarning(db, customerId),
  };
}

async function* eachWarning(db: Knex, customerId: string): AsyncGenerator<object> {
  yield* await ofCustomer(db, 'license_warnings', customerId).orderBy(['licenseId', 'instant', 'days']);
}

/** Locks the licences of a customer until the end of the transaction, and reads them. */
export async function lockLicensesOf(transaction: Knex.Transaction, customerId: string): Promise<License[]> {
  await transaction('license_keys').where({ customerId }).orderBy('id').forUpdate().select('id');
  return selectLicenses(transaction).where({ customerId });
}

/**
 * Revokes the licences of a customer and gives them another name, without labels and notes; removes their installations,
 * activations and warnings. The rows stay while the registry must refuse their tokens.
 * @param name in place of the customer's id
 */
export async function eraseLicenses(
  transaction: Knex.Transaction,
  customerId: string,
  name: string,
): Promise<{ installations: number; activations: number; warnings: number; licences: number }> {
  const installations = await ofCustomer(transaction, 'license_installations', customerId).delete();
  const activations = await ofCustomer(transaction, 'license_activations', customerId).delete();
  const warnings = await ofCustomer(transaction, 'license_warnings', customerId).delete();
  const now = transaction.fn.now();
  const licences = await transaction('license_keys')
    .where({ customerId })
    .update({
      customerId: name,
      label: null,
      notes: null,
      lastActivatedAt: null,
      status: 'revoked',
      withdrawnAt: transaction.raw('coalesce(withdrawn_at, now())'),
      erasedAt: now,
      updatedAt: now,
    });
  return { installations, activations, warnings, licences };
}

/** Removes licences of erased customers of which no token is valid any more. Returns how many. */
export function removeErasedLicenses(db: Knex): Promise<number> {
  return db('license_keys').whereRaw('erased_at < now() - make_interval(hours => ?)', [longestTokenHours]).delete();
}

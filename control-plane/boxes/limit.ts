/**
 * The limit of boxes of a licence.
 */
import type { Knex } from 'knex';
import { licenseBoxesExceeded } from '../license/problems.ts';
import type { License } from '../license/schemas.ts';
import { firstIdOf, lockCounts } from '../license/store.ts';

/**
 * Takes a place for a box, unless the customer has a box of that name.
 * @returns the id of the licence for which a new box counts
 * @throws license_boxes_exceeded (403)
 */
export async function takePlace(
  transaction: Knex.Transaction,
  { id, customerId, ...license }: Pick<License, 'id' | 'customerId' | 'maxBoxes'>,
  name: string,
): Promise<string> {
  if (license.maxBoxes === null) return firstIdOf(transaction, id);
  const { firstId, maxBoxes } = await lockCounts(transaction, id);
  if (maxBoxes === null) return firstId;
  const existing = await transaction('boxes').where({ customerId, name }).first('id');
  if (existing) return firstId;
  const { rows } = await transaction.raw('select count(*)::integer as count from boxes where license_id = ?', [
    firstId,
  ]);
  if (rows[0].count < maxBoxes) return firstId;
  throw licenseBoxesExceeded(
    `The licence is for ${maxBoxes} boxes. Deploy under the name of one of them, or ask the vendor for more.`,
  );
}

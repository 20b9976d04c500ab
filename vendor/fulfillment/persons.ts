/**
 * Personal data of parcels: tracking numbers, with which anyone can look up where a parcel went.
 */
import type { PersonalData } from '@carton/runtime';
import { fulfillments, withItems } from './parcels/store.ts';

const kept = 'until you ask for erasure; the parcel without them as long as your order';

export const personalFulfillments: PersonalData = {
  name: 'fulfillments',
  keeps: [
    {
      table: 'fulfillments',
      columns: ['tracking', 'metadata'],
      reason: 'To show you where your parcel is, and to find it.',
      kept,
    },
  ],
  async find(db, { records }) {
    const found = await db.query<{ id: string }>(
      'select id from fulfillments where tenant_id = $1 and order_id = any($2::uuid[])',
      [records.order ?? []],
    );
    return { records: { fulfillment: found.map(({ id }) => id) } };
  },
  async exportData(db, { records }) {
    const found = await fulfillments.findInOrder(db, records.fulfillment ?? []);
    return found.length === 0 ? null : withItems(db, found);
  },
  async erase(tx, { records }) {
    await tx.query(
      `update fulfillments set tracking = '[]', metadata = '{}', updated_at = now()
        where tenant_id = $1 and id = any($2::uuid[])`,
      [records.fulfillment ?? []],
    );
  },
};

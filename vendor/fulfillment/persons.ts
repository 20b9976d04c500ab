/**
 * Personal data of parcels: tracking numbers, with which anyone can look up where a parcel went.
 */
import type { PersonalData } from '@carton/runtime';
import { eraseFulfillments, fulfillments, fulfillmentsOfOrders, withItems } from './parcels/store.ts';

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
    return { records: { fulfillment: await fulfillmentsOfOrders(db, records.order ?? []) } };
  },
  async exportData(db, { records }) {
    const found = await fulfillments.findInOrder(db, records.fulfillment ?? []);
    return found.length === 0 ? null : withItems(db, found);
  },
  erase: (tx, { records }) => eraseFulfillments(tx, records.fulfillment ?? []),
};

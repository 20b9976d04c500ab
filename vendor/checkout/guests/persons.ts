/**
 * What checkout knows of guests with unpaid orders, as personal data.
 */
import type { PersonalData } from '@carton/runtime';
import { deleteGuestOrders, deleteUnits, exportUnits } from './store.ts';

export const personalGuestUnits: PersonalData = {
  name: 'unpaid-orders',
  keeps: [
    {
      table: 'guest_units',
      columns: ['key_hash'],
      reason: 'To limit what a guest can have set aside without paying: a keyed hash of session and addresses.',
      kept: 'until the order is paid, shipped or canceled',
    },
    {
      table: 'guest_reservations',
      columns: ['key_hash'],
      reason: 'To limit what a guest can have set aside without paying: a keyed hash of session and addresses.',
      kept: 'until the reservation ends',
    },
    {
      table: 'guest_orders',
      columns: ['client_key'],
      reason: 'To limit the mails that one client can cause: a keyed hash of its address.',
      kept: 'until you ask for erasure',
    },
  ],
  async exportData(db, { records }) {
    const held = await exportUnits(db, records.order ?? []);
    return held.length === 0 ? null : held;
  },
  async erase(tx, { records }) {
    await deleteUnits(tx, records.order ?? []);
    await deleteGuestOrders(tx, records.order ?? []);
  },
};

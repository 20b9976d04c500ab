/**
 * What checkout knows of guests with unpaid orders, as personal data.
 */
import type { PersonalData } from '@carton/runtime';

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
    const held = await db.query(
      'select distinct order_id, units from guest_units where tenant_id = $1 and order_id = any($2::uuid[]) order by 1',
      [records.order ?? []],
    );
    return held.length === 0 ? null : held;
  },
  async erase(tx, { records }) {
    for (const table of ['guest_units', 'guest_orders'])
      await tx.query(`delete from ${table} where tenant_id = $1 and order_id = any($2::uuid[])`, [records.order ?? []]);
  },
};

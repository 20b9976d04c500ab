/**
 * Carts as personal data: export and erasure.
 */
import type { PersonalData } from '@carton/runtime';
import { deleteAddresses, deleteLines, exportCarts, findSessionsOf, forgetPersons, lockCartsOf } from './store.ts';

export const personalCarts: PersonalData = {
  name: 'carts',
  keeps: [
    {
      table: 'carts',
      columns: ['email', 'note', 'session_hash'],
      reason: 'To keep your cart between visits.',
      kept: 'until the cart is deleted, or you ask for it to be erased',
    },
    {
      table: 'carts',
      columns: ['tax_number'],
      reason: 'To calculate taxes.',
      kept: 'until the cart is deleted, or you ask for it to be erased',
    },
    {
      table: 'cart_addresses',
      columns: ['name', 'company', 'line1', 'line2', 'city', 'province', 'postal_code', 'phone'],
      reason: 'To calculate delivery and taxes.',
      kept: 'until the cart is deleted, or you ask for it to be erased',
    },
    {
      table: 'cart_line_items',
      columns: ['properties', 'properties_key'],
      reason: 'To make items to your specification.',
      kept: 'until the cart becomes an order, or you ask for it to be erased',
    },
  ],
  find: async (db, subject) => ({ sessions: await findSessionsOf(db, subject) }),
  async exportData(db, subject) {
    const carts = await exportCarts(db, subject);
    return carts.length === 0 ? null : carts;
  },
  /** The rows of carts stay for statistics. */
  async erase(tx, subject) {
    const ids = await lockCartsOf(tx, subject);
    await deleteLines(tx, ids);
    await deleteAddresses(tx, ids);
    await forgetPersons(tx, ids);
  },
};

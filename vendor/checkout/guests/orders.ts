/**
 * Which orders are a guest's, and from which client: mails about them go to an address that nobody has verified, so the
 * package that sends them limits them.
 */
import { findOrder } from '@carton/order';
import { addressBlock, type MailGuestFinder, type TenantDatabase } from '@carton/runtime';
import type { Guest } from './service.ts';
import { findGuestOrder } from './store.ts';

/** The block of addresses to which a guest's client belongs; null if others may share it. */
export function blockOf({ client }: Guest): string | null {
  return client && !client.isShared ? addressBlock(client.address) : null;
}

/** Whether money has come for an order, or goods have gone: its mails are the store's, and nobody can cause many of them. */
async function isWithStore(db: TenantDatabase, orderId: string): Promise<boolean> {
  const order = await findOrder(db, orderId);
  return order !== null && (order.paymentStatus !== 'unpaid' || order.fulfillmentStatus !== 'unfulfilled');
}

export const findGuestOfOrder: MailGuestFinder = async (db, { type, id }) => {
  if (type !== 'order') return null;
  const guest = await findGuestOrder(db, id);
  return guest && !(await isWithStore(db, id)) ? guest : null;
};

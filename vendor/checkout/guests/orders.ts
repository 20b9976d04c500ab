/**
 * Which orders are a guest's, and from which client: mails about them go to an address that nobody has verified, so the
 * package that sends them limits them.
 */
import { randomBytes } from 'node:crypto';
import { findOrder } from '@carton/order';
import { addressBlock, type MailGuest, type MailGuestFinder, type TenantDatabase } from '@carton/runtime';
import type { Guest } from './service.ts';

/** The first order of a tenant creates its secret, `$4`. */
const recordText = `
  with created as (
    insert into guest_secrets (tenant_id, secret) values ($1, $4::bytea) on conflict (tenant_id) do nothing returning secret
  ),
  salt as (select secret from created union all select secret from guest_secrets where tenant_id = $1)
  insert into guest_orders (tenant_id, order_id, client_key)
  select $1, $2::uuid, encode(sha256(salt.secret || convert_to('address ' || $3::text, 'UTF8')), 'hex') from salt`;

/** Records in the transaction of an order that a guest has placed it. */
export async function recordGuestOrder(tx: TenantDatabase, { client }: Guest, orderId: string): Promise<void> {
  const block = client && !client.isShared ? addressBlock(client.address) : null;
  await tx.query(recordText, [orderId, block, randomBytes(32)]);
}

/** Whether money has come for an order, or goods have gone: its mails are the store's, and nobody can cause many of them. */
async function isWithStore(db: TenantDatabase, orderId: string): Promise<boolean> {
  const order = await findOrder(db, orderId);
  return order !== null && (order.paymentStatus !== 'unpaid' || order.fulfillmentStatus !== 'unfulfilled');
}

export const findGuestOfOrder: MailGuestFinder = async (db, { type, id }) => {
  if (type !== 'order') return null;
  const [guest] = await db.query<MailGuest>(
    'select client_key from guest_orders where tenant_id = $1 and order_id = $2',
    [id],
  );
  return guest && !(await isWithStore(db, id)) ? guest : null;
};

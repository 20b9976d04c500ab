/**
 * A box with a mail server, and what happens in its store.
 */
import { wakeBackground } from '@carton/runtime';
import { createTestBox, type TestBox, type TestBoxOptions, type TestTenant, until } from '@carton/runtime/testing';
import type { Test } from 'tap';
import { type MailServer, type ReceivedMail, startMailServer } from '../testing/index.ts';

export interface MailBox {
  box: TestBox;
  server: MailServer;
}

/** Starts a mail server and a box that uses it. */
export async function createMailBox(t: Test, options: TestBoxOptions = {}): Promise<MailBox> {
  const server = await startMailServer();
  const box = await createTestBox(t, { ...options, environment: { ...server.environment, ...options.environment } });
  t.teardown(() => server.stop());
  return { box, server };
}

/** Waits for a number of mails with a condition; without one, of all mails. */
export function mailsWhere(
  { mails }: MailServer,
  count: number,
  holds: (mail: ReceivedMail) => boolean = () => true,
): Promise<ReceivedMail[]> {
  return until(
    () => mails.filter(holds),
    (found) => found.length >= count,
  );
}

/** Makes all deliveries and claims that wait due, as if time had passed. */
export async function passTime(box: TestBox, tenant: TestTenant = box): Promise<void> {
  await box.owner.query(
    `update event_deliveries set next_attempt_at = now() where tenant_id = $1 and status = 'pending'`,
    [tenant.id],
  );
  await box.owner.query(`update notifications set lease_until = null where tenant_id = $1 and status = 'queued'`, [
    tenant.id,
  ]);
  wakeBackground(tenant.db);
}

/** Creates a published product with stock; returns the id of its variant. */
export async function createProduct({ staff }: TestTenant, title = 'Mug', stock = 1000): Promise<string> {
  const product = await staff.post('/admin/products', { title, status: 'published', variants: [{ sku: title }] });
  const [{ id }] = product.body.variants;
  await staff.put(`/admin/variants/${id}/prices`, { prices: [{ currency: 'EUR', amount: 1999 }] });
  const item = (await staff.get(`/admin/stock-items?variantId=${id}`)).body.items[0];
  await staff.post(`/admin/stock-items/${item.id}/adjustments`, { quantity: stock, reason: 'received' });
  return id;
}

export interface OrderOptions {
  email?: string;
  name?: string;
  locale?: string;
  quantity?: number;
}

/** Places an order; returns it. */
export async function placeOrder(tenant: TestTenant, variantId: string, options: OrderOptions = {}) {
  const { email = 'ada@shopper.example', name = 'Ada Lovelace', locale, quantity = 1 } = options;
  const shopper = tenant.shopper();
  const added = await shopper.post('/cart/items', { variantId, quantity });
  if (locale !== undefined) await shopper.patch('/cart', { locale });
  const { status, body } = await shopper.post('/checkout', { customer: { email, name } });
  if (status !== 201) throw new Error(`${added.status} ${status} ${JSON.stringify(body)}`);
  return body;
}

/** The records about an order, oldest first. */
export async function recordsOf({ staff }: TestTenant, id: string) {
  const { body } = await staff.get(`/admin/notifications?resourceId=${id}`);
  return body.items.toReversed();
}

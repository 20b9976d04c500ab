/**
 * A shop that has at least one of everything that a list answers, made as its staff and shoppers would make it.
 */
import { reserveStock } from '@carton/inventory';
import { newId } from '@carton/runtime';
import { type Answer, type TestBox, type TestTenant, until } from '@carton/runtime/testing';

async function done(answer: Promise<Answer>) {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(`the shop could not be filled: ${status} ${JSON.stringify(body)}`);
  return body;
}

/**
 * Fills a shop with two of most things. A list that it leaves empty is filled by the route that creates its items; where
 * that cannot be, by what is added here.
 */
export async function fillTenant(box: TestBox, tenant: TestTenant): Promise<void> {
  const { staff } = tenant;
  const region = { name: 'Europe', currency: 'EUR', countries: ['FR', 'DE'] };
  await done(staff.post('/admin/regions', region));
  await done(staff.post('/admin/products', { title: 'Draft of a hat' }));
  const variants: string[] = [];
  for (const title of ['Linen shirt', 'Wool coat']) {
    const product = await done(staff.post('/admin/products', { title, status: 'published' }));
    const [{ id }] = product.variants;
    variants.push(id);
    await done(staff.patch(`/admin/variants/${id}`, { sku: title, barcode: title }));
    await done(staff.put(`/admin/variants/${id}/prices`, { prices: [{ currency: 'EUR', amount: 1999 }] }));
    const { items } = await done(staff.get(`/admin/stock-items?variantId=${id}`));
    const received = { quantity: 1000, reason: 'received' };
    await done(staff.post(`/admin/stock-items/${items[0].id}/adjustments`, received));
  }
  await fillCollections(tenant);
  for (const email of ['ada@example.com', 'Grace@Example.com']) await order(tenant, variants, email);
  await cancelSome(tenant, variants);
  await done(tenant.shopper().post('/cart/items', { variantId: variants[0], quantity: 1 }));
  const lines = variants.map((variantId) => ({ variantId, quantity: 1 }));
  await tenant.db.transaction((tx) => reserveStock(tx, lines, { type: 'test', id: newId() }));
  await done(staff.post('/admin/invites', { email: 'new@example.com', role: 'viewer' }));
  await done(staff.post('/admin/api-keys', { name: 'Storefront', kind: 'publishable' }));
  await done(box.operator.post(`/admin/tenants/${tenant.id}/domains`, { host: `${tenant.slug}.example` }));
  await vary(box, tenant);
}

async function fillCollections({ staff }: TestTenant): Promise<void> {
  const ids = (await done(staff.get('/admin/products'))).items.map(({ id }: { id: string }) => id);
  await done(staff.post('/admin/collections', { title: 'Summer', productIds: ids }));
}

/** An order, half paid and a little of it paid back. */
async function order(tenant: TestTenant, variants: readonly string[], email: string): Promise<void> {
  const shopper = tenant.shopper();
  for (const variantId of variants) await done(shopper.post('/cart/items', { variantId, quantity: 1 }));
  const { id } = await done(shopper.post('/checkout', { customer: { email } }));
  const paid = { method: 'bank_transfer', amount: { amount: 1000, currency: 'EUR' } };
  const payment = await done(tenant.staff.post(`/admin/orders/${id}/payments`, paid));
  await done(tenant.staff.post(`/admin/payments/${payment.id}/refunds`, { amount: { amount: 100, currency: 'EUR' } }));
}

/** Orders whose end others are told of. */
async function cancelSome(tenant: TestTenant, variants: readonly string[]): Promise<void> {
  const shopper = tenant.shopper();
  for (let count = 1; count <= 2; count++) {
    await done(shopper.post('/cart/items', { variantId: variants[0], quantity: 1 }));
    const { id } = await done(shopper.post('/checkout', { customer: { email: 'ada@example.com' } }));
    await done(tenant.staff.post(`/admin/orders/${id}/cancel`));
  }
  const delivered = async () => (await done(tenant.staff.get('/admin/event-deliveries'))).items.length;
  await until(delivered, (count) => count > 1);
}

/** States that come about where a provider or a subscriber fails. */
async function vary({ owner }: TestBox, { id }: TestTenant): Promise<void> {
  const first = (table: string, condition: string) => `
    tenant_id = $1 and id = (select id from ${table} where tenant_id = $1 and ${condition} order by id limit 1)`;
  await owner.query(
    `update payment_transactions set status = 'failed' where ${first('payment_transactions', "type = 'refund'")}`,
    [id],
  );
  await owner.query(`update payments set status = 'failed', provider = 'another' where ${first('payments', 'true')}`, [
    id,
  ]);
  await owner.query(`update event_deliveries set status = 'dead' where ${first('event_deliveries', 'true')}`, [id]);
}

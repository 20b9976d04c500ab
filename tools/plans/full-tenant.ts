/**
 * Fills a tenant with at least one item for every list, as its staff and shoppers would.
 */
import { reserveStock } from '@carton/inventory';
import { examplePicture } from '@carton/media';
import { createMember, type TestMember } from '@carton/member/testing';
import { newId } from '@carton/runtime';
import { type Answer, type Caller, type TestBox, type TestTenant, until } from '@carton/runtime/testing';

async function requireSuccess(response: Promise<Answer>) {
  const { status, body } = await response;
  if (status >= 300) throw new Error(`the tenant could not be filled: ${status} ${JSON.stringify(body)}`);
  return body;
}

/**
 * Creates two of most things. Lists that it leaves empty are filled by the routes that create their items; add here what
 * such routes cannot create.
 * @returns a member of the tenant
 */
export async function fillTenant(box: TestBox, tenant: TestTenant): Promise<TestMember> {
  const { staff } = tenant;
  const region = { name: 'Europe', currency: 'EUR', countries: ['FR', 'DE'] };
  await requireSuccess(staff.post('/admin/regions', region));
  await requireSuccess(staff.post('/admin/products', { title: 'Draft of a hat' }));
  const variants: string[] = [];
  for (const title of ['Linen shirt', 'Wool coat']) {
    const described = { title, brand: 'Alder', type: 'Shirt', tags: ['summer'], status: 'published' };
    const product = await requireSuccess(staff.post('/admin/products', described));
    const [{ id }] = product.variants;
    variants.push(id);
    await requireSuccess(staff.patch(`/admin/variants/${id}`, { sku: title, barcode: title }));
    await requireSuccess(staff.put(`/admin/variants/${id}/prices`, { prices: [{ currency: 'EUR', amount: 1999 }] }));
    const { items } = await requireSuccess(staff.get(`/admin/stock-items?variantId=${id}`));
    const received = { quantity: 1000, reason: 'received' };
    await requireSuccess(staff.post(`/admin/stock-items/${items[0].id}/adjustments`, received));
  }
  await fillCategories(tenant);
  await fillWebsite(tenant);
  await fillCollections(tenant);
  await fillMedia(box, tenant);
  await fillTaxes(tenant);
  await fillShipping(tenant);
  await fillPromotions(tenant);
  const seller = { legalName: 'Store SAS', address: '12 Rue des Lilas, Lyon' };
  await requireSuccess(staff.patch('/admin/store', seller));
  for (const email of ['ada@example.com', 'Grace@Example.com']) await order(tenant, variants, email);
  const member = await createMember(tenant);
  await fillMember(tenant, member, variants);
  await cancelSome(tenant, variants);
  await fillFulfillments(tenant);
  await fillDownloads(box, tenant, variants);
  const [newest] = (await requireSuccess(staff.get('/admin/orders'))).items;
  await requireSuccess(staff.patch(`/admin/orders/${newest.id}`, { tags: ['gift'] }));
  await requireSuccess(tenant.shopper().post('/cart/items', { variantId: variants[0], quantity: 1 }));
  const lines = variants.map((variantId) => ({ variantId, quantity: 1 }));
  await tenant.db.transaction((tx) => reserveStock(tx, lines, { type: 'test', id: newId() }));
  await requireSuccess(staff.post('/admin/invites', { email: 'new@example.com', role: 'viewer' }));
  await requireSuccess(staff.post('/admin/api-keys', { name: 'Storefront', kind: 'publishable' }));
  await requireSuccess(box.operator.post(`/admin/tenants/${tenant.id}/domains`, { host: `${tenant.slug}.example` }));
  await forceRareStates(box, tenant);
  return member;
}

/** `shirts` is the example of the filter of products. */
async function fillCategories({ staff }: TestTenant): Promise<void> {
  const productIds = (await requireSuccess(staff.get('/admin/products'))).items.map(({ id }: { id: string }) => id);
  const { id: parentId } = await requireSuccess(staff.post('/admin/categories', { name: 'Clothes' }));
  for (const name of ['Shirts', 'Coats']) {
    const { id } = await requireSuccess(staff.post('/admin/categories', { name, parentId }));
    await requireSuccess(staff.put(`/admin/categories/${id}/products`, { productIds }));
  }
}

async function fillWebsite({ staff, visitor }: TestTenant): Promise<void> {
  for (const email of ['ada@example.com', 'bob@example.com']) {
    await requireSuccess(visitor().post('/contact', { name: 'Ada', email, message: 'Blue?', secondsOpen: 9 }));
  }
  for (const path of ['/old', '/older']) {
    await requireSuccess(staff.post('/admin/redirects', { path, target: '/new' }));
  }
  for (const handle of ['about-us', 'imprint']) {
    await requireSuccess(staff.post('/admin/pages', { title: handle, handle, status: 'published' }));
    await requireSuccess(
      staff.post('/admin/menus', { name: handle, items: [{ title: handle, url: `/pages/${handle}` }] }),
    );
  }
}

async function fillCollections({ staff }: TestTenant): Promise<void> {
  const ids = (await requireSuccess(staff.get('/admin/products'))).items.map(({ id }: { id: string }) => id);
  await requireSuccess(staff.post('/admin/collections', { title: 'Summer', productIds: ids }));
}

async function fillMedia({ url }: TestBox, { staff: { headers } }: TestTenant): Promise<void> {
  for (const content of [examplePicture, Buffer.from('%PDF-1.4')]) {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(content)]), 'file');
    const { status } = await fetch(`${url}/admin/media`, { method: 'POST', headers, body: form });
    if (status !== 201) throw new Error(`the tenant could not be filled: ${status}`);
  }
}

/** Files of a variant, and an order that is paid in full. */
async function fillDownloads(
  { url }: TestBox,
  { staff, shopper, db }: TestTenant,
  [variantId]: readonly string[],
): Promise<void> {
  for (const name of ['book.epub', 'book.pdf']) {
    const form = new FormData();
    form.append('file', new Blob([name]), name);
    const path = `${url}/admin/variants/${variantId}/downloads`;
    const { status } = await fetch(path, { method: 'POST', headers: staff.headers, body: form });
    if (status !== 201) throw new Error(`the tenant could not be filled: ${status}`);
  }
  const buyer = shopper();
  await requireSuccess(buyer.post('/cart/items', { variantId, quantity: 1 }));
  const { id, balance } = await requireSuccess(buyer.post('/checkout', { customer: { email: 'ada@example.com' } }));
  await requireSuccess(staff.post(`/admin/orders/${id}/payments`, { method: 'bank_transfer', amount: balance }));
  const granted = 'select id from download_grants where tenant_id = $1 and order_id = $2';
  await until(
    () => db.query(granted, [id]),
    (found) => found.length === 2,
  );
}

async function fillTaxes({ staff }: TestTenant): Promise<void> {
  const { id } = await requireSuccess(staff.post('/admin/tax-categories', { code: 'books', name: 'Books' }));
  const rate = { code: 'gst', name: 'GST', rate: 5, country: 'CA' };
  await requireSuccess(staff.post('/admin/tax-rates', { ...rate, categoryId: id }));
  await requireSuccess(staff.post('/admin/tax-rates', { ...rate, categoryId: id, province: 'QC' }));
}

async function fillShipping({ staff }: TestTenant): Promise<void> {
  const post = (resource: string, body: unknown) => requireSuccess(staff.post(`/admin/shipping-${resource}`, body));
  for (const [at, country] of ['FR', 'DE'].entries()) {
    const code = `profile-${at}`;
    await post('profiles', { code, name: code });
    const { id } = await post('zones', { name: country, places: [{ country }] });
    const option = { code: `option-${at}`, name: 'Standard', type: 'flat', zoneId: id };
    await post('options', { ...option, profile: code, rates: [{ currency: 'EUR', amount: 490 }] });
  }
}

/** An automatic promotion, which every order uses, and one by code. */
async function fillPromotions({ staff }: TestTenant): Promise<void> {
  const promotion = { label: 'Summer', discount: { kind: 'percent', percent: 5 } };
  await requireSuccess(staff.post('/admin/promotions', { ...promotion, status: 'inactive' }));
  await requireSuccess(staff.post('/admin/promotions', { ...promotion, automatic: true }));
  const { id } = await requireSuccess(staff.post('/admin/promotions', promotion));
  await requireSuccess(staff.post(`/admin/promotions/${id}/codes`, { codes: ['SUMMER', 'SUN'] }));
}

/** Creates members in all states; gives the member addresses and an order. */
async function fillMember({ staff }: TestTenant, member: Caller, variants: readonly string[]): Promise<void> {
  for (const name of ['Ada Lovelace', 'Grace Hopper']) {
    const email = `${name.replace(' ', '.')}@example.com`;
    const { id } = await requireSuccess(staff.post('/admin/members', { email, name, acceptsMarketing: true }));
    if (name.startsWith('Grace')) await requireSuccess(staff.patch(`/admin/members/${id}`, { status: 'disabled' }));
  }
  const address = { name: 'Ada Lovelace', line1: '12 Rue', city: 'Lyon', country: 'FR' };
  for (let count = 1; count <= 2; count++) await requireSuccess(member.post('/member/addresses', address));
  await requireSuccess(member.post('/cart/items', { variantId: variants[0], quantity: 1 }));
  await requireSuccess(member.post('/checkout', { customer: { email: 'ada@example.com' } }));
}

/** Places an order, pays half of it, refunds a little, and issues its invoice with a credit note for the refund. */
async function order(tenant: TestTenant, variants: readonly string[], email: string): Promise<void> {
  const shopper = tenant.shopper();
  for (const variantId of variants) await requireSuccess(shopper.post('/cart/items', { variantId, quantity: 1 }));
  const { id } = await requireSuccess(shopper.post('/checkout', { customer: { email } }));
  const paid = { method: 'bank_transfer', amount: { amount: 1000, currency: 'EUR' } };
  const payment = await requireSuccess(tenant.staff.post(`/admin/orders/${id}/payments`, paid));
  await requireSuccess(
    tenant.staff.post(`/admin/payments/${payment.id}/refunds`, { amount: { amount: 100, currency: 'EUR' } }),
  );
  await requireSuccess(tenant.staff.post(`/admin/orders/${id}/invoices`));
}

/** Cancels orders, so that subscribers get events. */
async function cancelSome(tenant: TestTenant, variants: readonly string[]): Promise<void> {
  const shopper = tenant.shopper();
  for (let count = 1; count <= 2; count++) {
    await requireSuccess(shopper.post('/cart/items', { variantId: variants[0], quantity: 1 }));
    const { id } = await requireSuccess(shopper.post('/checkout', { customer: { email: 'ada@example.com' } }));
    await requireSuccess(tenant.staff.post(`/admin/orders/${id}/cancel`));
  }
  const delivered = async () => (await requireSuccess(tenant.staff.get('/admin/event-deliveries'))).items.length;
  await until(delivered, (count) => count > 1);
}

/** Creates parcels in all states. */
async function fillFulfillments({ staff }: TestTenant): Promise<void> {
  const orders = (await requireSuccess(staff.get('/admin/orders?status=placed'))).items;
  for (const { id } of orders) {
    const parcel = await requireSuccess(staff.post(`/admin/orders/${id}/fulfillments`));
    await requireSuccess(staff.post(`/admin/fulfillments/${parcel.id}/cancel`));
    const again = await requireSuccess(staff.post(`/admin/orders/${id}/fulfillments`));
    if (id === orders[0].id) continue;
    await requireSuccess(staff.post(`/admin/fulfillments/${again.id}/ship`));
    if (id !== orders[1].id) await requireSuccess(staff.post(`/admin/fulfillments/${again.id}/deliver`));
  }
}

/** Sets states that result from failures and reports of a provider, or from failures of a subscriber. */
async function forceRareStates({ owner }: TestBox, { id }: TestTenant): Promise<void> {
  const first = (table: string, condition: string) => `
    tenant_id = $1 and id = (select id from ${table} where tenant_id = $1 and ${condition} order by id limit 1)`;
  await owner.query(
    `update payment_transactions set status = 'failed' where ${first('payment_transactions', "type = 'refund'")}`,
    [id],
  );
  await owner.query(`update payments set status = 'failed', provider = 'another' where ${first('payments', 'true')}`, [
    id,
  ]);
  await owner.query(
    `insert into payment_disputes (tenant_id, id, payment_id, order_id, reference, status, currency, amount,
                                   withdrawn_amount, refundable, reported_at)
     select tenant_id, gen_random_uuid(), id, order_id, 'dp_' || status, status, currency, 100, 0, false, now()
       from (select tenant_id, id, order_id, currency from payments where tenant_id = $1 order by id limit 1) disputed,
            unnest(array['inquiry', 'open', 'won', 'lost', 'closed']) as status`,
    [id],
  );
  await owner.query(`update orders set member_id = id where ${first('orders', "status = 'placed'")}`, [id]);
  const unpaid = first(
    'orders',
    "status = 'placed' and payment_status = 'unpaid' and fulfillment_status = 'unfulfilled'",
  );
  await owner.query(`update orders set pending_until = now() + interval '1 day' where ${unpaid}`, [id]);
  await owner.query(
    `update notifications set status = case when template like '%canceled%' then 'failed' else 'sent' end
      where tenant_id = $1 and template like 'order.%'`,
    [id],
  );
  await owner.query(
    `update fulfillments set shipping_option_id = id, shipping_profile = 'bulky' where ${first('fulfillments', 'true')}`,
    [id],
  );
  await owner.query(`update event_deliveries set status = 'dead' where ${first('event_deliveries', 'true')}`, [id]);
}

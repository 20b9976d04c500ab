/**
 * What is made of templates and sources: pages to print, mails, tables, sitemaps, sanitised HTML.
 */
import { gunzipSync } from 'node:zlib';
import { createForSale } from '@carton/cart/testing';
import { bodyOf, until } from '@carton/runtime/testing';
import { subject } from '../subject.ts';

const address = { name: 'Ada Lovelace', line1: '1 Main Street', city: 'Paris', postalCode: '75001', country: 'FR' };

subject('documents', async (t, stage) => {
  const store = await stage.openTenant();
  const { staff } = store;
  await bodyOf(staff.patch('/admin/store', { legalName: 'Store SAS', address: '2 Rue des Lilas, Lyon' }));
  const { variantId } = await createForSale(store, 4990, { product: { title: 'Linen shirt' } });
  const shopper = store.shopper();
  await bodyOf(shopper.post('/cart/items', { variantId, quantity: 1 }));
  const email = `ada@${store.slug}.example`;
  const order = await bodyOf(shopper.post('/checkout', { customer: { email, name: 'Ada Lovelace', address } }));

  await t.test('a mail is composed and sent', async (t) => {
    const mail = await stage.mailbox.mailTo(email);
    t.match(mail, { from: 'box@mail.example', text: /Linen shirt/, html: /Linen shirt/ }, 'of the order');
    const key = 'order.placed';
    const template = { subject: 'Order {{ order.number }}', text: 'Hello {{ order.customer.name }}' };
    const templates = await bodyOf(staff.get('/admin/notification-templates'));
    t.ok(templates.items.length > 10, 'templates are listed');
    t.equal((await staff.get(`/admin/notification-templates/${templates.items[0].key}`)).status, 200, 'one is read');
    const previewed = await staff.post(`/admin/notification-templates/${templates.items[0].key}/preview`, {});
    t.equal(previewed.status, 200, 'and shown as a mail');
    const unknown = await staff.post(`/admin/notification-templates/${key}/preview`, template);
    t.not(unknown.status, 500, 'a text of the store is accepted, or refused');
    const preview = (text: string) =>
      staff.post(`/admin/notification-templates/${key}/preview`, { draft: { subject: 'x', text, html: null } });
    t.match(
      await preview('{{ order.totals.total | money }}'),
      { status: 200, body: { text: /39/ } },
      'a draft is shown',
    );
    const slow = `{% for i in (1..9000) %}{{ 1 ${'| abs '.repeat(14_000)}}}{% endfor %}`;
    t.match(await preview(slow), { status: 422, body: { code: 'too_costly' } }, 'one that takes too long is refused');
    t.equal((await preview('Order {{ order.number }}')).body.text, 'Order ORD-1001', 'and the next is shown');
  });

  await t.test('pages to print', async (t) => {
    const invoice = await staff.post(`/admin/orders/${order.id}/invoices`, {});
    t.equal(invoice.status, 201, 'an invoice is issued');
    const page = await shopper.get(`/checkout/${order.id}/invoice`);
    t.match(page, { status: 200, body: /Store SAS/ }, 'and read');
    const parcel = await staff.post(`/admin/orders/${order.id}/fulfillments`, {});
    t.equal(parcel.status, 201, 'a parcel is packed');
    const list = await staff.get(`/admin/fulfillments/${parcel.body.id}/packing-list`);
    t.match(list, { status: 200, body: /Linen shirt/ }, 'and its packing list read');
    t.match(await shopper.get(`/checkout/${order.id}/confirmation`), { status: 200 }, 'the confirmation');
  });

  await t.test('the HTML of a page is sanitised', async (t) => {
    const content = '<p onclick="x()">We make <b>shirts</b>.</p><script>alert(1)</script>';
    const page = { title: 'About us', handle: 'about', status: 'published', content };
    t.equal((await staff.post('/admin/pages', page)).status, 201, 'created');
    const long = { ...page, handle: 'long', content: content + ' '.repeat(9000) };
    t.equal((await staff.post('/admin/pages', long)).status, 201, 'a long one, too');
    const read = await store.visitor().get('/pages/about');
    t.match(read, { status: 200, body: { content: /^<p>We make <b>shirts<\/b>.<\/p>$/ } }, 'read');
  });

  await t.test('a sitemap', async (t) => {
    const visitor = store.visitor();
    t.match(await visitor.get('/sitemap.xml'), { status: 200, body: /products\/linen-shirt/ }, 'the sitemap');
    t.match(await visitor.get('/robots.txt'), { status: 200, body: /Sitemap|User-agent/i }, 'robots.txt');
  });

  await t.test('codes of a promotion as a table', async (t) => {
    const discount = { kind: 'percent', percent: 10 };
    const { id } = await bodyOf(staff.post('/admin/promotions', { label: 'Offer', automatic: false, discount }));
    await bodyOf(staff.post(`/admin/promotions/${id}/codes`, { generate: { count: 3 } }));
    const table = await staff.get(`/admin/promotions/${id}/codes/export`);
    t.equal(table.status, 200, 'exported');
    t.equal(String(table.body).trim().split('\n').length, 4, 'a heading and three codes');
  });

  await t.test('a store as an archive', async (t) => {
    const path = `/admin/tenants/${store.id}/export`;
    t.equal((await stage.operator.post(path)).status, 202, 'requested');
    await until(
      () => stage.operator.get(`${path}/state`),
      ({ body }) => body.state === 'ready',
    );
    const { headers } = stage.operator;
    const response = await fetch(stage.url + path, { headers });
    const bytes = gunzipSync(Buffer.from(await response.arrayBuffer()));
    t.match(bytes.toString('latin1'), 'Linen shirt', 'downloaded, with its products');
  });
});

/**
 * One address, from the cart to the mail, the confirmation, the invoice and the packing list, as its country writes it.
 */
import { createForSale } from '@carton/cart/testing';
import { startMailServer } from '@carton/notification/testing';
import { bodyOf, createTestBox, exactly, untilDelivered } from '@carton/runtime/testing';
import t from 'tap';

const server = await startMailServer();
const box = await createTestBox(t, { tier: 'enterprise', environment: server.environment });
t.teardown(() => server.stop());
const { staff } = box;
await bodyOf(staff.patch('/admin/store', { legalName: 'Store SAS', address: '2 Rue des Lilas\n69003 Lyon' }));
const { variantId } = await createForSale(box, 1000);

/** The text of a mail or page: its parts without markup, each in a line. */
const partsOf = (html: string) =>
  html
    .replaceAll(/<style[\s\S]*?<\/style>/g, '')
    .split(/<[^>]*>|\n/)
    .flatMap((part) => part.replaceAll('&#39;', "'").trim() || [])
    .join('\n');

const addresses: [address: Record<string, string | null>, lines: string[]][] = [
  [
    {
      ...{ name: 'Ada Lovelace', company: 'Acme', line1: 'Main Street 1', line2: 'Floor 2', city: 'Berlin' },
      ...{ province: 'BE', postalCode: '10115', country: 'DE' },
    },
    ['Ada Lovelace', 'Acme', 'Main Street 1', 'Floor 2', '10115 Berlin', 'Germany'],
  ],
  [
    {
      name: 'Ada Lovelace',
      line1: '1 Main Street',
      city: 'Springfield',
      province: 'Illinois',
      postalCode: '62701',
      country: 'USA',
    },
    ['Ada Lovelace', '1 Main Street', 'Springfield, IL 62701', 'United States'],
  ],
  [
    {
      name: 'Camille Martin',
      company: 'Lumière',
      line1: '12 Rue des Lilas',
      line2: '',
      city: 'Lyon',
      postalCode: '69003',
      country: 'FR',
    },
    ['Lumière', 'Camille Martin', '12 Rue des Lilas', '69003 LYON', 'France'],
  ],
  [
    {
      name: '山田 太郎',
      line1: '天神1-2-3',
      city: '福岡市中央区',
      province: 'Fukuoka',
      postalCode: '810-0001',
      country: 'JP',
    },
    ['〒810-0001', '福岡県福岡市中央区天神1-2-3', '山田 太郎', 'Japan'],
  ],
  [
    { name: 'Tan Wei Ling', line1: '10 Anson Road', city: '', province: '', postalCode: '079903', country: 'SG' },
    ['Tan Wei Ling', '10 Anson Road', 'SINGAPORE 079903', 'Singapore'],
  ],
  [
    {
      name: 'Emma Clarke',
      line1: '10 High Street',
      city: 'London',
      province: null,
      postalCode: 'EC1A 1BB',
      country: 'England',
    },
    ['Emma Clarke', '10 High Street', 'LONDON', 'EC1A 1BB', 'United Kingdom'],
  ],
  [
    {
      ...{ name: 'Анна Смирнова', line1: 'пр-кт Мира, д. 10, корп. 2, кв. 55', city: 'Екатеринбург' },
      ...{ province: 'Свердловская область', postalCode: '620014', country: 'RU' },
    },
    [
      ...['Анна Смирнова', 'пр-кт Мира, д. 10, корп. 2, кв. 55', 'Екатеринбург', 'Свердловская область', '620014'],
      'Russia',
    ],
  ],
  [
    {
      ...{ name: 'منى عادل', line1: '٥ ميدان التحرير', line2: 'الدور الثالث', city: 'القاهرة' },
      ...{ province: 'القاهرة', postalCode: '11511', country: 'EG' },
    },
    ['منى عادل', '٥ ميدان التحرير', 'الدور الثالث', 'القاهرة', '11511', 'Egypt'],
  ],
  [
    { name: '黃大仙', line1: '太古城道1號A座12樓', province: '香港島', country: 'HK' },
    ['香港島', '太古城道1號A座12樓', '黃大仙', 'Hong Kong SAR China'],
  ],
  [
    { name: '이영희', line1: '테헤란로 152', city: '강남구', province: '서울', postalCode: '06236', country: 'KR' },
    ['서울 강남구', '테헤란로 152', '이영희', '06236', 'South Korea'],
  ],
  [
    { name: 'Ufficio', line1: 'Via del Pellegrino 2', postalCode: '00120', country: 'VA' },
    ['Ufficio', 'Via del Pellegrino 2', '00120', 'Vatican City'],
  ],
  [
    {
      ...{ name: 'Ana Silva', line1: 'SQS 308 Bloco C Apto 202', line2: 'Asa Sul', city: 'Brasília' },
      ...{ province: 'DF', postalCode: '70355030', country: 'BR' },
    },
    ['Ana Silva', 'SQS 308 Bloco C Apto 202', 'Asa Sul', 'BRASÍLIA-DF', '70355-030', 'Brazil'],
  ],
];

for (const [at, [address, lines]] of addresses.entries()) {
  t.test(`${address.country}: ${lines.join(' / ')}`, async (t) => {
    const shopper = box.shopper();
    await bodyOf(shopper.post('/cart/items', { variantId, quantity: 1 }));
    const cart = await bodyOf(shopper.put('/cart/shipping-address', address));
    t.strictSame(cart.shippingAddress.city, address.city || null, 'an empty town is none');
    const email = `buyer-${at}@shopper.example`;
    const order = await bodyOf(shopper.post('/checkout', { customer: { email, name: '', phone: '' } }));
    t.strictSame([order.customer.name, order.customer.phone], [address.name, null]);
    await untilDelivered(box);
    const [mail] = server.mails.filter(({ to }) => to === email);
    const confirmation = await shopper.get(`/checkout/${order.id}/confirmation`);
    const invoice = await bodyOf(staff.post(`/admin/orders/${order.id}/invoices`, {}));
    const page = await shopper.get(`/checkout/${order.id}/invoice`);
    const items = [{ lineItemId: order.items[0].id, quantity: 1 }];
    const parcel = await bodyOf(staff.post(`/admin/orders/${order.id}/fulfillments`, { items }));
    const packingList = await staff.get(`/admin/fulfillments/${parcel.id}/packing-list`);
    const documents = {
      mail: mail?.html ?? '',
      confirmation: confirmation.body,
      invoice: page.body,
      packingList: packingList.body,
    };
    for (const [name, html] of Object.entries(documents)) {
      t.ok(partsOf(String(html)).includes(lines.join('\n')), `${name}: ${partsOf(String(html))}`);
    }
    t.ok(mail?.text.includes(lines.join('\n')), mail?.text);
    t.strictSame(invoice.buyer.address, lines);
  });
}

t.test('a town is required where addresses have one', async (t) => {
  const shopper = box.shopper();
  const address = { name: 'Ada', line1: '1 Way', country: 'DE' };
  for (const city of [undefined, null, '']) {
    const refused = await shopper.put('/cart/shipping-address', { ...address, city });
    t.match(refused, { status: 400, body: { errors: exactly([{ pointer: '/city' }]) } }, String(city));
  }
  for (const country of ['SG', 'VA', 'MC', 'GI']) {
    t.match(await shopper.put('/cart/shipping-address', { ...address, country }), { status: 200 }, country);
  }
});

t.test('a store that requires town and postal code does so where the country has them', async (t) => {
  const tenant = await box.openTenant();
  const article = (await createForSale(tenant, 1000)).variantId;
  await bodyOf(tenant.staff.patch('/admin/store', { checkoutRequires: ['address.city', 'address.postalCode'] }));
  const missingAt = async (address: unknown) => {
    const shopper = tenant.shopper();
    await bodyOf(shopper.post('/cart/items', { variantId: article, quantity: 1 }));
    const { status, body } = await shopper.post('/checkout', { customer: { email: 'ada@shopper.example', address } });
    return [status, ...(body.errors ?? []).map(({ pointer }: { pointer: string }) => pointer)];
  };
  const both = ['/customer/address/city', '/customer/address/postalCode'];
  t.strictSame(await missingAt({ line1: '1 Way', country: 'DE' }), [409, ...both]);
  t.strictSame(await missingAt({ line1: '1 Way' }), [409, ...both]);
  t.strictSame(await missingAt('1 Way, Hong Kong'), [409, ...both]);
  t.strictSame(await missingAt({ line1: '1 Way', country: 'Singapore' }), [409, '/customer/address/postalCode']);
  t.strictSame(await missingAt({ line1: '1 Way', country: 'HK' }), [201]);
  t.strictSame(await missingAt({ line1: '1 Way', city: 'Doha', country: 'QA' }), [201]);
});

t.test('empty texts of optional fields are null, and stay in metadata and properties', async (t) => {
  const empty = { note: 'stays', blank: '' };
  const product = await bodyOf(staff.post('/admin/products', { title: 'Empty', description: '', metadata: empty }));
  t.strictSame(product.metadata, empty);
  const path = `/admin/products/${product.id}`;
  await bodyOf(staff.patch(path, { brand: 'Acme' }));
  t.equal((await bodyOf(staff.patch(path, { brand: '' }))).brand, null);
  const wrong = await staff.post('/admin/categories', { name: 'X', parentId: '' });
  t.match(wrong, { status: 400 }, 'an id is no blank');
  const shopper = box.shopper();
  const item = { variantId, quantity: 1, properties: { engraving: '' } };
  const { items } = await bodyOf(shopper.post('/cart/items', item));
  t.strictSame(items[0].properties, { engraving: '' });
  const optional = { company: '', line2: '', province: '', postalCode: '', phone: '' };
  const address = { name: 'Ada', line1: '1 Way', city: 'Berlin', country: 'DE' };
  const cart = await bodyOf(shopper.put('/cart/billing-address', { ...address, ...optional }));
  const none = { company: null, line2: null, province: null, postalCode: null, phone: null };
  t.strictSame(cart.billingAddress, { ...address, ...none });
  t.match(await shopper.put('/cart/billing-address', { ...address, name: '' }), { status: 400 }, 'what is required');
  t.strictSame((await bodyOf(shopper.patch('/cart', { note: '', email: '' }))).note, null);
});

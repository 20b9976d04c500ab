/**
 * Every column of JSON of all packages: what staff and shoppers write in every form that its schema allows, what erasure
 * leaves of it, and what migrations give to existing rows can be read. A package with a new column adds it to
 * `support/json-columns.ts`, and writes all forms of it here.
 */
import { createForSale, shopperWith } from '@carton/cart/testing';
import { createMember, password, type TestMember } from '@carton/member/testing';
import { paymentAdapters } from '@carton/payment';
import { TestProvider } from '@carton/payment/testing';
import type { EventDefinition } from '@carton/runtime';
import { loadPackages } from '@carton/runtime/service';
import {
  bodyOf,
  type Caller,
  createTestBox,
  gatherExtensions,
  packagesOfTier,
  sourceRoot,
} from '@carton/runtime/testing';
import t, { type Test } from 'tap';
import { faults } from '../../runtime/http/validation.ts';
import { fillTenant } from '../../tools/plans/full-tenant.ts';
import { formsOf, listJsonColumns, matchesForm, schemasOf, writtenByServices } from './support/json-columns.ts';

// Nothing listens there, so that no record is found.
const box = await createTestBox(t, { environment: { DNS_SERVERS: '127.0.0.1:9', PAYMENT_ADAPTERS: 'manual' } });
const { staff } = box;
const { database, routes } = box.box;
database.extensions = new Map([
  ...database.extensions,
  ...gatherExtensions([paymentAdapters.with(new TestProvider())]),
]);
const packages = await loadPackages(packagesOfTier('enterprise'), sourceRoot);
const events: readonly EventDefinition[] = packages.flatMap((loaded) => loaded.events ?? []);
const columns = (await listJsonColumns(box)).filter(({ name }) => !(name in writtenByServices));

interface Row {
  value: unknown;
  type: string;
}

/** The values of a column that were seen in the database so far. */
const seen = new Map<string, Map<string, unknown>>();

/** Compares all stored values with the schemas by which they are read. */
async function checkStored(t: Test): Promise<void> {
  for (const { name } of columns) {
    const [table, column] = name.split('.');
    const type = table === 'event_outbox' ? 'type' : "''";
    const rows = await box.owner.query<Row>(`select distinct ${column}::jsonb as value, ${type} as type from ${table}`);
    const schemas = schemasOf(box, events, name);
    const values = seen.get(name) ?? new Map();
    seen.set(name, values);
    for (const { value, type } of rows) {
      values.set(JSON.stringify(value), value);
      const schema = schemas.get(type);
      if (schema) t.equal(faults(schema, value), null, `${name} ${type} ${JSON.stringify(value).slice(0, 200)}`);
      else t.fail(`no schema reads ${name} ${type}`);
    }
  }
}

/**
 * Calls the lists of staff, and reads of their first items; the box compares the responses with their schemas. Returns
 * those that fail.
 */
async function readEverything(): Promise<string[]> {
  const paths = routes.flatMap(({ declaration: { method, path, access, streamed, file } }) =>
    method === 'get' && path.startsWith('/admin/') && access !== 'operator' && !streamed && !file ? [path] : [],
  );
  const wrong: string[] = [];
  const idsOf = new Map<string, string[]>();
  const read = async (path: string, query = '') => {
    const { status, body } = await staff.get(`${path}${query}`);
    if (status >= 500) wrong.push(`${status} GET ${path}`);
    return body;
  };
  for (const path of paths.filter((each) => !each.includes(':'))) {
    const body = await read(path, paths.includes(`${path}/:id`) ? '?limit=100' : '');
    if (Array.isArray(body.items))
      idsOf.set(
        path,
        body.items.map(({ id, key }: Record<string, string>) => id ?? key),
      );
  }
  for (const path of paths) {
    const [list = '', parameter, ...more] = path.split(/(?<=\/):(\w+)/);
    const ids = parameter && !more.some((part) => part.includes(':')) ? (idsOf.get(list.slice(0, -1)) ?? []) : [];
    for (const id of ids.slice(0, 5)) await read(path.replace(`:${parameter}`, id));
  }
  return wrong;
}

const metadata = { note: 'Uranium', nested: { list: [1, null, 'a', { deep: true }], empty: {} }, '': null };

/** Changes the metadata of an item of every list that has some. */
async function writeMetadata(): Promise<void> {
  for (const { declaration } of routes) {
    const [, list] = /^(\/admin\/[\w-]+)\/:id$/.exec(declaration.path) ?? [];
    if (!list || declaration.method !== 'patch' || !declaration.body?.properties?.metadata) continue;
    const [item] = (await bodyOf(staff.get(list))).items;
    if (item) await bodyOf(staff.patch(`${list}/${item.id}`, { metadata }));
  }
}

/** Writes what `fillTenant` leaves empty. */
async function writeSettings(): Promise<void> {
  await writeMetadata();
  const [asset] = (await bodyOf(staff.get('/admin/media'))).items;
  await bodyOf(staff.patch(`/admin/media/${asset.id}`, { focalPoint: { x: 0, y: 1 } }));
  const conditions = [{ field: 'title', operator: 'contains', value: 'shirt' }];
  await bodyOf(staff.post('/admin/collections', { title: 'Shirts', rule: { match: 'any', conditions } }));
  const [product] = (await bodyOf(staff.get('/admin/products'))).items;
  await bodyOf(staff.patch(`/admin/products/${product.id}`, { attributes: [{ name: 'Material', value: 'Linen' }] }));
  const text = { locale: 'fr', subject: 'Merci', text: 'Merci !', html: '<p>Merci !</p>' };
  for (const [key, texts] of Object.entries({ 'order.placed': [text], 'order.canceled': [] })) {
    await bodyOf(staff.patch(`/admin/notification-templates/${key}`, { texts }));
  }
  const domains = `/admin/tenants/${box.id}/domains`;
  const { id } = await bodyOf(staff.post(domains, { host: 'linen.shop' }));
  await bodyOf(staff.post(`${domains}/${id}/verify`));
  const discounts = [
    { kind: 'fixed', amounts: [{ amount: 100, currency: 'EUR' }] },
    { kind: 'free_shipping' },
    { kind: 'shipping_fixed', amounts: [{ amount: 100, currency: 'EUR' }] },
    { kind: 'shipping_percent', percent: 10 },
    { kind: 'percent', percent: 10, base: 'price' },
    { kind: 'fixed_per_unit', amounts: [{ amount: 100, currency: 'EUR' }] },
    { kind: 'buy_x_get_y', buyQuantity: 1, getQuantity: 1, percent: 100, getConditions: null, maxSets: null },
  ];
  for (const discount of discounts) await bodyOf(staff.post('/admin/promotions', { label: 'Offer', discount }));
  const [card, wallet] = (await bodyOf(staff.get('/admin/payment-methods'))).items;
  await bodyOf(staff.patch(`/admin/payment-methods/${card.id}`, { fees: [{ amount: 50, currency: 'EUR' }] }));
  await bodyOf(staff.patch(`/admin/payment-methods/${wallet.id}`, { fees: [] }));
  const [option] = (await bodyOf(staff.get('/admin/shipping-options'))).items;
  await bodyOf(staff.patch(`/admin/shipping-options/${option.id}`, { freeFrom: [{ amount: 9000, currency: 'EUR' }] }));
}

/** What a shopper may send as an address; `undefined` for none. */
const addresses = [
  'Ada\nA 1\nBerlin',
  { name: 'Ada', line1: 'A 1', postalCode: null, country: 'DE' },
  { name: 'Ada', line1: 'A 1' },
  { name: 'Ada', country: null, province: null },
  undefined,
];

/** Places an order of the shopper with everything that is stored as JSON, and cancels it; returns its id. */
async function order(shopper: Caller, variantId: string, details: Record<string, unknown>): Promise<string> {
  const { properties, ...customer } = details;
  await bodyOf(shopper.post('/cart/items', { variantId, quantity: 1, ...(properties ? { properties } : {}) }));
  const body = { customer, attribution: properties ? { channel: 'web', utmSource: 'mail' } : customer.billing && {} };
  const key = { headers: { 'idempotency-key': JSON.stringify(details) } };
  const { id } = await bodyOf(shopper.post('/checkout', body, key));
  const tracking = properties
    ? [
        { carrier: 'DHL', number: '1' },
        { carrier: 'A friend', number: '2' },
      ]
    : [];
  await bodyOf(staff.post(`/admin/orders/${id}/fulfillments`, { tracking, metadata }));
  const paid = { amount: { amount: 100, currency: 'EUR' }, metadata };
  const payment = await bodyOf(staff.post(`/admin/orders/${id}/payments`, { ...paid, method: 'bank_transfer' }));
  await bodyOf(staff.post(`/admin/payments/${payment.id}/refunds`, paid));
  await bodyOf(staff.post(`/admin/orders/${id}/invoices`, {}));
  await bodyOf(staff.post(`/admin/orders/${id}/cancel`));
  return id;
}

/** What shoppers write: orders of a member in all forms, open carts, a registration, and goods to be picked up. */
async function writeAsShoppers(member: TestMember, variantId: string): Promise<string[]> {
  const { email } = member;
  const ids: string[] = [];
  for (const address of addresses) {
    ids.push(await order(member, variantId, { email, address, properties: { engraving: 'For Ada', number: 1 } }));
    ids.push(await order(member, variantId, { email, billing: address }));
  }
  // As earlier releases stored one that says nothing.
  await box.owner.query("update orders set attribution = '{}' where id = $1", [ids[1]]);
  for (const billing of [...addresses, null]) {
    if (billing !== undefined) await bodyOf(staff.patch(`/admin/orders/${ids[0]}`, { customer: { billing } }));
  }
  await bodyOf(member.post('/cart/items', { variantId, quantity: 1, properties: { engraving: 'For Ada' } }));
  for (const paymentMethod of ['card', 'bank_transfer'])
    await bodyOf(member.post('/cart/payment-sessions', { paymentMethod }));
  await bodyOf(box.visitor().post('/member/register', { email: 'new@example.com', password, name: 'New' }));
  await bodyOf(box.visitor().post('/member/password/forgot', { email }));

  const pickupAddress = { name: 'Our store', line1: '1 Ring', city: 'Paris', country: 'FR' };
  await bodyOf(staff.patch('/admin/store', { settings: { shipping: { pickupAddress } } }));
  const offer = async (type: string) => {
    const option = { code: type, name: type, type, rates: [{ currency: 'EUR', amount: 0 }] };
    return (await bodyOf(staff.post('/admin/shipping-options', option))).id;
  };
  const choices = [{ optionId: await offer('flat') }, { optionId: await offer('pickup'), pickupLocationId: 'store' }];
  for (const choice of choices) {
    const shopper = await shopperWith(box, [variantId, 1]);
    await bodyOf(shopper.put('/cart/shipping-address', { name: 'Ada', line1: 'A 1', city: 'Paris', country: 'FR' }));
    await bodyOf(shopper.put('/cart/shipping-method', choice));
    ids.push((await bodyOf(shopper.post('/checkout', { customer: { email: 'guest@example.com' } }))).id);
  }
  return ids;
}

await fillTenant(box, box);
const { variantId } = await createForSale(box, 5000, { product: { title: 'Engraved shirt' } });
const member = await createMember(box);

t.test('what migrations give to existing rows can be read', async (t) => {
  for (const { name, defaultValue } of columns) {
    if (defaultValue === null) continue;
    const [row] = await box.owner.query<{ value: unknown }>(`select ${defaultValue} as value`);
    seen.set(name, new Map([['default', row?.value]]));
    for (const [, schema] of schemasOf(box, events, name)) t.equal(faults(schema, row?.value), null, name);
  }
});

t.test('what is written can be read', async (t) => {
  await checkStored(t);
  await writeSettings();
  const ids = await writeAsShoppers(member, variantId);
  await checkStored(t);
  t.strictSame(await readEverything(), []);
  for (const id of ids) {
    t.equal((await box.visitor().get(`/checkout/${id}`)).status, 200);
    t.equal((await staff.get(`/admin/orders/${id}`)).status, 200);
  }
});

t.test('what erasure leaves can be read', async (t) => {
  const orders = (await bodyOf(member.get('/member/orders?limit=100'))).items.map(({ id }: { id: string }) => id);
  t.equal(orders.length, 2 * addresses.length);
  t.equal((await member.post('/member/erase', { password })).status, 204);
  await checkStored(t);
  t.strictSame(await readEverything(), []);
  for (const id of orders) {
    t.match(await staff.get(`/admin/orders/${id}`), { status: 200, body: { customer: { name: null } } });
    t.equal((await box.visitor().get(`/checkout/${id}`)).status, 200);
  }
});

t.test('every form was stored', async (t) => {
  for (const { name, isNullable } of columns) {
    const [table] = name.split('.');
    const isUsed = (await box.owner.query(`select 1 from ${table} limit 1`)).length > 0;
    if (name === 'event_outbox.payload' || (!isUsed && name.endsWith('.metadata'))) continue;
    const values = [...(seen.get(name)?.values() ?? [])];
    for (const [, schema] of schemasOf(box, events, name)) {
      for (const form of formsOf(schema, isNullable)) {
        const isSeen = values.some((value) => matchesForm(form, value));
        t.ok(isSeen, `${name} has a value of the form ${JSON.stringify(form).slice(0, 200)}`);
      }
    }
  }
});

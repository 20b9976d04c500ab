/**
 * Products in stock: `GET /products?inStock=true` lists those of which a shopper can buy a variant now.
 */
import { newId } from '@carton/runtime';
import { createTestBox, raceRounds, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';
import { availabilityOf, releaseStock, reserveStock, returnStock, takeStock } from '../index.ts';
import { adjust, codeOf } from './helpers.ts';

const packages = ['core', 'auth', 'tenant', 'region', 'product', 'pricing', 'inventory'];
const box = await createTestBox(t, { packages: packages.map((name) => `@carton/${name}`), tier: 'basic' });
const reference = (type: string) => ({ type, id: newId() });

interface Made {
  id: string;
  variants: string[];
}

/** Creates a published product whose variants have these quantities on hand. */
async function create(tenant: TestTenant, handle: string, quantities: number[], fields: object = {}): Promise<Made> {
  const options = [{ name: 'Size', values: quantities.map((_, at) => `S${at}`) }];
  const { body } = await tenant.staff.post('/admin/products', {
    title: handle,
    handle,
    status: 'published',
    options,
    ...fields,
  });
  const variants = body.variants.map(({ id }: { id: string }) => id);
  for (const [at, quantity] of quantities.entries()) if (quantity > 0) await receive(tenant, variants[at], quantity);
  return { id: body.id, variants };
}

const receive = (tenant: TestTenant, variantId: string, quantity: number) =>
  adjust(tenant, variantId, { quantity, reason: 'corrected' });
const change = (tenant: TestTenant, variantId: string, patch: object) =>
  tenant.staff.patch(`/admin/stock-items/${variantId}`, patch);

async function find({ visitor }: TestTenant, query = ''): Promise<string[]> {
  const { body } = await visitor().get(`/products?inStock=true&${query}`);
  return body.items.map(({ handle }: { handle: string }) => handle);
}

t.test('what moves stock, and what allows to sell without, lists and unlists a product', async (t) => {
  const tenant = await box.openTenant();
  const { id, variants } = await create(tenant, 'hat', [0, 0]);
  const [first, second] = variants as [string, string];
  const lines = [{ variantId: first, quantity: 2 }];
  const listed = async () => {
    const isListed = (await find(tenant)).length === 1;
    const rows = [...(await availabilityOf(tenant.db, variants)).values()];
    t.equal(
      isListed,
      rows.some(({ status }) => status !== 'out_of_stock'),
      'as availability says',
    );
    return isListed;
  };
  t.equal(await listed(), false, 'none on hand');
  await receive(tenant, first, 2);
  t.equal(await listed(), true, 'received');
  const order = reference('order');
  await tenant.db.transaction((tx) => takeStock(tx, [{ variantId: first, quantity: 1 }], order));
  t.equal(await listed(), true, 'one is left');
  await tenant.db.transaction((tx) => takeStock(tx, [{ variantId: first, quantity: 1 }], order));
  t.equal(await listed(), false, 'sold');
  await tenant.db.transaction((tx) => returnStock(tx, lines, order));
  t.equal(await listed(), true, 'returned');
  const cart = reference('cart');
  await tenant.db.transaction((tx) => reserveStock(tx, lines, cart));
  t.equal(await listed(), false, 'reserved');
  await tenant.db.transaction((tx) => releaseStock(tx, cart));
  t.equal(await listed(), true, 'released');
  await tenant.db.transaction((tx) => reserveStock(tx, lines, cart));
  await tenant.db.transaction((tx) => takeStock(tx, lines, reference('order'), { reserved: cart }));
  t.equal(await listed(), false, 'the reservation is sold');
  await change(tenant, second, { backOrderPolicy: 'allow' });
  t.equal(await listed(), true, 'back-orders');
  await tenant.db.transaction((tx) => takeStock(tx, [{ variantId: second, quantity: 3 }], order));
  t.equal(await listed(), true, 'back-ordered');
  await change(tenant, second, { backOrderPolicy: 'deny' });
  t.equal(await listed(), false);
  await change(tenant, first, { tracked: false });
  t.equal(await listed(), true, 'not tracked');
  await change(tenant, first, { tracked: true });
  t.equal(await listed(), false);
  await receive(tenant, second, 3);
  t.equal(await listed(), false, 'only what was owed');
  await receive(tenant, second, 1);
  t.equal(await listed(), true);
  await receive(tenant, second, -1);
  t.equal(await listed(), false, 'removed');
  await tenant.db.transaction((tx) => takeStock(tx, [{ variantId: second, quantity: 1 }], order)).catch(codeOf);
  t.equal(await listed(), false, 'a refused sale changes nothing');
  await receive(tenant, first, 3);
  await tenant.db.transaction((tx) => takeStock(tx, lines, order));
  await tenant.staff.delete(`/admin/variants/${first}`);
  t.strictSame(await find(tenant), [], 'the stock of a deleted variant does not count');
  await tenant.db.transaction((tx) => returnStock(tx, lines, order));
  t.strictSame(await find(tenant), [], 'nor when it is returned later');
  const added = await tenant.staff.post(`/admin/products/${id}/variants`, { options: [{ name: 'Size', value: 'S0' }] });
  t.strictSame(await find(tenant), []);
  await receive(tenant, added.body.id, 1);
  t.strictSame(await find(tenant), ['hat'], 'a new variant');
  await tenant.staff.patch(`/admin/products/${id}`, { status: 'draft' });
  t.strictSame(await find(tenant), []);
  await tenant.staff.patch(`/admin/products/${id}`, { status: 'published' });
  t.strictSame(await find(tenant), ['hat']);
  await tenant.staff.delete(`/admin/products/${id}`);
  t.strictSame(await find(tenant), []);
});

t.test('in every order, beside other filters, each product once', async (t) => {
  const tenant = await box.openTenant();
  await create(box, 'theirs', [1]);
  const amounts: Record<string, number> = { hat: 300, coat: 900, shirt: 500, belt: 100, scarf: 300 };
  for (const [handle, amount] of Object.entries(amounts)) {
    const isSold = handle === 'belt';
    const tags = handle.endsWith('t') ? ['wool'] : ['silk'];
    const { variants } = await create(tenant, handle, isSold ? [0, 0] : [1, 2, 0], { tags, brand: 'Alder' });
    const prices = [{ currency: 'EUR', amount }];
    for (const id of variants) await tenant.staff.put(`/admin/variants/${id}/prices`, { prices });
  }
  t.strictSame(await find(tenant), ['scarf', 'shirt', 'coat', 'hat']);
  t.strictSame(await find(tenant, 'sort=oldest'), ['hat', 'coat', 'shirt', 'scarf']);
  t.strictSame(await find(tenant, 'sort=title'), ['coat', 'hat', 'scarf', 'shirt']);
  t.strictSame(await find(tenant, 'sort=price'), ['hat', 'scarf', 'shirt', 'coat']);
  t.strictSame(await find(tenant, 'sort=-price&priceMax=500'), ['shirt', 'scarf', 'hat']);
  t.strictSame(await find(tenant, 'priceMax=300'), ['scarf', 'hat']);
  t.strictSame(await find(tenant, 'priceMax=299'), []);
  t.strictSame(await find(tenant, 'tag=wool'), ['shirt', 'coat', 'hat']);
  t.strictSame(await find(tenant, 'tag=wool&sort=price&priceMin=301'), ['shirt', 'coat']);
  t.strictSame(await find(tenant, 'tag=silk&brand=Alder'), ['scarf']);
  t.strictSame(await find(tenant, 'q=s&sort=title'), ['scarf', 'shirt']);
  t.strictSame([await find(tenant, 'handle=hat'), await find(tenant, 'handle=belt')], [['hat'], []]);
  for (const sort of ['newest', 'oldest', 'title', 'price', '-price']) {
    const all = await find(tenant, `sort=${sort}`);
    for (const limit of [1, 3]) {
      const pages = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const place = cursor && `&cursor=${cursor}`;
        const { body } = await tenant.visitor().get(`/products?inStock=true&sort=${sort}&limit=${limit}${place}`);
        pages.push(...body.items.map(({ handle }: { handle: string }) => handle));
        cursor = body.nextCursor;
      }
      t.strictSame(pages, all, `${sort}, ${limit} on a page`);
    }
  }
  const { body } = await tenant.visitor().get('/products?inStock=false');
  t.strictSame(
    body.items.map(({ handle }: { handle: string }) => handle),
    ['scarf', 'belt', 'shirt', 'coat', 'hat'],
    'false does not filter',
  );
});

t.test('of variants that sell out and are returned at the same time, the list shows the outcome', async (t) => {
  const tenant = await box.openTenant();
  const { variants } = await create(tenant, 'hat', [1, 1]);
  for (let round = 0; round < raceRounds; round++) {
    const order = reference('order');
    const sell = (variantId: string) =>
      tenant.db.transaction((tx) => takeStock(tx, [{ variantId, quantity: 1 }], order)).then(() => 'sold', codeOf);
    const outcomes = await Promise.all([...variants, ...variants].map(sell));
    t.strictSame(outcomes.toSorted(), ['insufficient_stock', 'insufficient_stock', 'sold', 'sold']);
    t.strictSame(await find(tenant), [], 'sold out');
    const giveBack = (variantId: string) =>
      tenant.db.transaction((tx) => returnStock(tx, [{ variantId, quantity: 1 }], order));
    const [again] = await Promise.all([sell(variants[0] as string), ...variants.map(giveBack)]);
    t.strictSame(await find(tenant), ['hat'], 'returned');
    if (again === 'sold') await giveBack(variants[0] as string);
  }
});

t.test('the migration lists existing products', async (t) => {
  await create(box, 'sold', [0]);
  const rows = () => box.owner.query('select id, in_stock, sellable, product_id from stock_items order by id');
  const before = await rows();
  t.ok(new Set(before.map(({ sellable, productId }) => `${sellable} ${productId === null}`)).size > 2);
  const file = new URL('../migrations/20261123123000_inventory_list_sellable_products.js', import.meta.url);
  const { up, down } = await import(file.href);
  const knex = { raw: (sql: string) => sql };
  for (const statement of [...down(knex).split(/;\n/), ...up(knex).split(/;\n/)]) {
    if (statement.trim() !== '') await box.owner.query(`do $do$ begin ${statement}; end $do$`);
  }
  t.strictSame(await rows(), before);
});

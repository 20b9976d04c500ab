/**
 * A seeded store is one that its box could have written: references, sums, the stock ledger and search words agree, and
 * shoppers go on ordering.
 */
import { unlimitedStock } from '@carton/inventory';
import { createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { wordsText } from '../../../vendor/order/search/words-store.ts';
import { type SeedProgress, seedStore } from '../index.ts';

const box = await createTestBox(t);
const progress: SeedProgress[] = [];
const options = { tenant: box.slug, products: 60, orders: 400, members: 20 };
const { rows } = await seedStore(box.databaseUrl, { ...options, onProgress: (step) => progress.push(step) });

/** Rows that a condition selects, which there should be none of. */
const select = (text: string) => box.owner.query<Record<string, unknown>>(text);

t.test('it adds what was requested, and reports it', async (t) => {
  const [counts] = await select(`
    select (select count(*)::int from products) as products, (select count(*)::int from orders) as orders,
           (select count(distinct member_id)::int <= 20 from orders) as "fewMembers",
           (select count(*)::int from orders where member_id is null) between 60 and 180 as "someGuests",
           (select max(count) >= 15 from (select count(*) from orders where member_id is not null group by member_id) each)
             as "frequentMembers",
           (select max(created_at) - min(created_at) > interval '2 years 10 months' from orders) as "threeYears",
           (select count(distinct payment_status) >= 4 from orders) as "manyStates"`);
  const expected = { fewMembers: true, someGuests: true, frequentMembers: true, threeYears: true, manyStates: true };
  t.strictSame(counts, { products: 60, orders: 400, ...expected });
  t.strictSame([...new Set(progress.map(({ step }) => step))], ['members', 'products', 'orders', 'analyzing']);
  t.equal(progress.at(-1)?.done, 1);
  t.equal(progress.at(-1)?.rows, rows);
});

t.test('members have accounts, with the addresses of their orders', async (t) => {
  const differing = await select(`
    select number from orders left join members on members.id = orders.member_id
     where orders.member_id is not null
       and (members.email, members.name) is distinct from (orders.email, orders.customer_name)`);
  t.strictSame(differing, []);
  const [{ count }] = (await select('select count(*)::int as count from members')) as [{ count: number }];
  t.equal(count, 20);
});

t.test('every foreign key holds', async (t) => {
  const keys = await select(`
    select conrelid::regclass::text as name, pg_get_constraintdef(oid) as definition from pg_constraint
     where contype = 'f' and connamespace = 'public'::regnamespace`);
  t.ok(keys.length > 20);
  for (const { name, definition } of keys) {
    await box.owner.query(`alter table ${name} add constraint checked_again ${definition}`);
    await box.owner.query(`alter table ${name} drop constraint checked_again`);
  }
});

t.test('sums agree', async (t) => {
  const orders = await select(`
    select number from orders
     cross join lateral (select sum(total_amount) as lines from order_line_items lines
                          where lines.tenant_id = orders.tenant_id and lines.order_id = orders.id) sums
     cross join lateral (select coalesce(sum(amount), 0) as taxes from order_tax_lines taxes
                          where taxes.tenant_id = orders.tenant_id and taxes.order_id = orders.id) taxes
     cross join lateral (select coalesce(sum(captured_amount), 0) as captured, coalesce(sum(refunded_amount), 0) as refunded
                           from payments where payments.tenant_id = orders.tenant_id and payments.order_id = orders.id) paid
     where (subtotal_amount, total_amount, tax_amount, paid_amount, refunded_amount)
           is distinct from (lines, lines + shipping_amount, taxes, captured, refunded)`);
  t.strictSame(orders, []);
  const levels = await select(`
    select stock_item_id, on_hand, moved from stock_levels levels
     cross join lateral (select coalesce(sum(quantity), 0) as moved from stock_movements moves
                          where moves.tenant_id = levels.tenant_id and moves.stock_item_id = levels.stock_item_id) sums
     where on_hand <> moved`);
  t.strictSame(levels, [], 'the ledger adds up to the stock on hand');
  const low = await select(`
    select id from stock_items items
      join stock_levels levels on levels.tenant_id = items.tenant_id and levels.stock_item_id = items.id
     where low <> (tracked and on_hand <= low_stock_level) or in_stock <> (on_hand > 0)
        or low_at is distinct from case when tracked then low_stock_level end`);
  t.strictSame(low, []);
  const stock = await select(`
    select product_id from product_stock stored
     where units <> (select case when bool_or(not tracked or back_order_policy = 'allow') then ${unlimitedStock} else sum(on_hand - reserved) end
                       from stock_items items
                       join stock_levels levels on levels.tenant_id = items.tenant_id and levels.stock_item_id = items.id
                      where items.tenant_id = stored.tenant_id and items.product_id = stored.product_id)`);
  t.strictSame(stock, []);
  const counted = 'select count(*)::int as count from product_stock';
  t.strictSame(
    await select(counted),
    await select("select count(*)::int as count from products where status = 'published'"),
  );
  const prices = await select(`
    select product_id from product_prices lowest
     where amount <> (select min(prices.amount) from product_variants variants
                        join variant_prices prices on prices.tenant_id = variants.tenant_id and prices.variant_id = variants.id
                       where variants.tenant_id = lowest.tenant_id and variants.product_id = lowest.product_id)`);
  t.strictSame(prices, []);
  const priced = 'select count(*)::int as count from product_prices';
  t.strictSame(await select(priced), await select('select count(*)::int as count from products'));
});

t.test('the search words are those that the box writes', async (t) => {
  const words = wordsText({ number: 'orders.number', email: 'orders.email', name: 'orders.customer_name' });
  const differing = await select(`
    select number from orders
     where (select array_agg(word_from order by word_from) from order_words stored
             where stored.tenant_id = orders.tenant_id and stored.order_id = orders.id)
           is distinct from (select array_agg(word_from collate "C" order by word_from collate "C") from (${words}) computed)`);
  t.strictSame(differing, []);
  const [product] = await select('select id, title from products order by id limit 1');
  const stored = () =>
    select(`select word_from, status from product_title_words where product_id = '${product?.id}' order by word_from`);
  const seeded = await stored();
  t.equal((await box.staff.patch(`/admin/products/${product?.id}`, { title: 'Other' })).status, 200);
  t.equal((await box.staff.patch(`/admin/products/${product?.id}`, { title: product?.title })).status, 200);
  t.strictSame(await stored(), seeded);
  const tags = await select(`
    select id from orders
     where tags::text <> array(select tag_key from order_tags tags where tags.tenant_id = orders.tenant_id
                                and tags.order_id = orders.id order by array_position(orders.tags, tag_key))::text`);
  t.strictSame(tags, []);
});

t.test('the box serves the store, and shoppers go on ordering', async (t) => {
  const { body: list } = await box.visitor().get('/products?limit=100&sort=title');
  t.ok(list.items.length > 40);
  const { body: orders } = await box.staff.get('/admin/orders?limit=1');
  const [newest] = orders.items;
  t.match(await box.staff.get(`/admin/orders/${newest.id}`), { status: 200, body: { number: '1400' } });
  const { body: found } = await box.staff.get(
    `/admin/orders?email=${newest.customer.email}&memberId=${newest.memberId}`,
  );
  if (newest.memberId) t.ok(found.items.some(({ id }: { id: string }) => id === newest.id));
  const [stocked] = await select(`
    select stock_item_id as id from stock_levels
      join product_variants variants on variants.id = stock_item_id join products on products.id = product_id
     where products.status = 'published' and on_hand > 5 limit 1`);
  const shopper = box.shopper();
  t.match(await shopper.post('/cart/items', { variantId: stocked?.id, quantity: 1 }), { status: 201 });
  const placed = await shopper.post('/checkout', { customer: { email: 'ada@example.com' } });
  t.match(placed, { status: 201, body: { number: '1401' } });
});

t.test('a store with orders is rejected unless they are added to', async (t) => {
  await t.rejects(seedStore(box.databaseUrl, { ...options, orders: 1 }), { message: /has orders: --add/ });
  const added = { ...options, products: 5, orders: 10, add: true };
  await seedStore(box.databaseUrl, added);
  const [{ count }] = (await select('select count(*)::int as count from orders')) as [{ count: number }];
  t.equal(count, 411);
  const empty = await box.openTenant();
  await t.rejects(seedStore(box.databaseUrl, { ...added, tenant: 'nobody' }), {
    message: /no tenant with the slug nobody/,
  });
  const none = { tenant: empty.slug, products: 0, orders: 1, members: 0 };
  await t.rejects(seedStore(box.databaseUrl, none), { message: /no products with prices/ });
  await t.rejects(seedStore(box.databaseUrl.replace(/test_\w+/, 'postgres'), none), {
    message: /not the database of a box/,
  });
});

t.test('a lost connection fails the seeding, with its cause', async (t) => {
  const { slug: tenant } = await box.openTenant();
  let ended: Promise<unknown> | undefined;
  const seeding = seedStore(box.databaseUrl, {
    tenant,
    products: 1,
    orders: 100_000,
    members: 0,
    onProgress({ step }) {
      if (step !== 'orders') return;
      ended ??= box.owner.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'seed'",
      );
    },
  });
  await t.rejects(seeding, { message: /terminat|EPIPE|ECONNRESET/ });
  await ended;
});

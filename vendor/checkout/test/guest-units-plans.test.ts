/**
 * Counting the units of a guest reads the rows of the guest's keys, their orders and their reservations, however many there
 * are. So does finding the order that a cart has become.
 */
import { shopperWith } from '@carton/cart/testing';
import { paymentAdapters } from '@carton/payment';
import { TestProvider } from '@carton/payment/testing';
import { createTestBox, exactly } from '@carton/runtime/testing';
import { readingsOf, StatementRecorder } from '@carton/runtime/testing/plans';
import t from 'tap';
import { buyer, createArticle } from './helpers.ts';

const transfer = Object.assign(new TestProvider('transfer', ['bank_transfer']), { byHand: true });
const box = await createTestBox(t, {
  tier: 'basic',
  idleJobs: true,
  extends: [paymentAdapters.with(new TestProvider()), paymentAdapters.with(transfer)],
});
const recorder = new StatementRecorder(box.box.database);
const copies = 20_000;

/** Copies the orders, and the units that guests hold in them under keys of others. */
async function copyOrders(): Promise<void> {
  const columns = await box.owner.query<{ name: string }>(
    `select column_name as name from information_schema.columns
      where table_schema = current_schema() and table_name = 'orders' and is_generated = 'NEVER'`,
  );
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  const copied: Record<string, string> = {
    '"id"': 'md5(id::text || copy)::uuid',
    '"number"': "number || '-' || copy",
    '"cart_id"': 'null',
    '"email"': "copy || '-' || email",
  };
  const values = names.split(', ').map((name) => copied[name] ?? name);
  await box.owner.query(
    `insert into orders (${names}) select ${values.join(', ')} from orders, generate_series(1, ${copies}) copy`,
  );
  await box.owner.query(
    `insert into guest_units (tenant_id, key_hash, order_id, units)
     select tenant_id, md5(key_hash || copy), md5(order_id::text || copy)::uuid, units
       from guest_units, generate_series(1, ${copies}) copy`,
  );
  await box.owner.query(
    `insert into guest_reservations (tenant_id, key_hash, cart_id)
     select tenant_id, md5(key_hash || copy), md5(cart_id::text || copy)::uuid
       from guest_reservations, generate_series(1, ${copies}) copy`,
  );
  await box.owner.query(
    `insert into stock_reservations (tenant_id, id, stock_item_id, location_id, quantity, reference_type, reference_id, ends_at)
     select tenant_id, md5(id::text || copy)::uuid, stock_item_id, location_id, quantity, reference_type,
            md5(reference_id::text || copy)::uuid, ends_at
       from stock_reservations, generate_series(1, ${copies}) copy`,
  );
  await box.owner.query(
    `insert into payments (tenant_id, id, order_id, provider, method, capture_mode, status, currency, amount)
     select tenant_id, gen_random_uuid(), id, 'test', 'card', 'manual', 'voided', 'EUR', 1
       from orders where cart_id is null`,
  );
  await box.owner.query(
    `insert into carts (tenant_id, id, session_hash, status, order_id, currency)
     select tenant_id, gen_random_uuid(), session_hash || copy, 'completed', gen_random_uuid(), currency
       from carts, generate_series(1, ${copies}) copy where status = 'completed'`,
  );
  await box.owner.query('analyze orders, guest_units, guest_reservations, stock_reservations, payments, carts');
}

const byCard = { paymentMethod: 'card' };

t.test('a check reads few rows of many', async (t) => {
  const mug = await createArticle(box, 'mug', 1250, 1000);
  const shopper = await shopperWith(box, [mug, 60]);
  t.equal((await shopper.post('/checkout', buyer)).status, 201);
  const other = await shopperWith(box, [mug, 1]);
  t.equal((await other.post('/cart/payment-sessions', byCard)).status, 201);
  await copyOrders();
  /** What the statements that read these tables read. */
  const readings = async (isMeant: (text: string) => boolean, work: () => Promise<void>) => {
    const sent = (await recorder.record(work)).filter(({ text }) => isMeant(text));
    return readingsOf(box.box.database, box.id, sent);
  };
  const isCounting = (text: string) => text.includes('guest_units');
  const isFew = (found: readonly { rows: number; pages: number }[]) =>
    found.every(({ rows, pages }) => rows < 30 && pages < 150);

  const [ordered, ...none] = await readings(
    (text) => text.includes('session_hash = $2 and status'),
    async () => {
      t.match(await shopper.post('/checkout', buyer), { status: 409, body: { code: 'cart_empty' } });
    },
  );
  t.ok(ordered && none.length === 0 && isFew([ordered]), JSON.stringify(ordered));

  await shopper.post('/cart/items', { variantId: mug.variantId, quantity: 41 });
  const previewed = await readings(isCounting, async () => {
    const { body } = await shopper.get('/checkout?paymentMethod=bank_transfer');
    t.match(body.requirements, exactly([{ code: 'unpaid_units_limit' }]));
  });
  t.ok(previewed.length === 1 && isFew(previewed), JSON.stringify(previewed));

  const [line] = (await shopper.get('/cart')).body.items;
  await shopper.patch(`/cart/items/${line.id}`, { quantity: 2 });
  const reserved = await readings(isCounting, async () => {
    t.equal((await shopper.post('/cart/payment-sessions', byCard)).status, 201);
  });
  // Those that write are not explained; they begin with the same count.
  t.ok(reserved.length === 1 && isFew(reserved), JSON.stringify(reserved));
});

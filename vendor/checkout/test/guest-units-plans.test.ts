/**
 * Counting the units of a guest reads the rows of the guest's keys and their orders, however many orders there are.
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
  await box.owner.query('analyze orders, guest_units');
}

t.test('a check reads few rows of many', async (t) => {
  const mug = await createArticle(box, 'mug', 1250, 1000);
  const shopper = await shopperWith(box, [mug, 60]);
  t.equal((await shopper.post('/checkout', buyer)).status, 201);
  await copyOrders();
  await shopper.post('/cart/items', { variantId: mug.variantId, quantity: 41 });
  const sent = await recorder.record(async () => {
    const { body } = await shopper.get('/checkout?paymentMethod=bank_transfer');
    t.match(body.requirements, exactly([{ code: 'unpaid_units_limit' }]));
  });
  const counting = sent.filter(({ text }) => text.includes('guest_units'));
  t.equal(counting.length, 1);
  const [reading] = await readingsOf(box.box.database, box.id, counting);
  t.ok(reading && reading.rows < 20 && reading.pages < 100, JSON.stringify(reading));
});

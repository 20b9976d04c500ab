/**
 * The tier rig: the check of the books finds what does not agree. Its parts have tests of their own.
 */
import { createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { openTenantAt } from '../../../tools/load/tenant.ts';
import { checkBooks } from '../../support/books.ts';
import { newTally } from '../../support/client.ts';
import { withReader } from '../../support/postgres.ts';
import { sendShoppers } from '../../support/shoppers.ts';

const box = await createTestBox(t, { tier: 'basic' });
const secrets = { operatorSecret: box.secrets.operator, hostingSecret: box.secrets.hosting };
const tenant = await openTenantAt(box.url, { secrets, slug: 'books', products: 4, stock: 1000 });
const shoppers = sendShoppers({ urls: [box.url], tenants: [tenant], shoppers: 4, tally: newTally(), thinkTime: 5 });
const ordered = () => shoppers.purchases.filter(({ end }) => end === 'ordered').length;
while (ordered() < 6) await new Promise((resolve) => setTimeout(resolve, 10));
await shoppers.stop();

t.test('the books of a store agree', async (t) => {
  const { broken, counts } = await checkBooks(box.databaseUrl);
  t.strictSame(broken, []);
  t.equal(counts.orders, ordered());
  t.ok((counts.unitsSold ?? 0) >= 6);
});

/** Each is undone. */
const corruptions: { what: string; by: string; undo: string; finds: RegExp }[] = [
  {
    what: 'stock without a movement',
    by: 'update stock_levels set on_hand = on_hand - 1 where tenant_id = $1',
    undo: 'update stock_levels set on_hand = on_hand + 1 where tenant_id = $1',
    finds: /books: stock of \S+: \d+ on hand, 0 reserved, moved \d+/,
  },
  {
    what: 'stock that stays reserved',
    by: 'update stock_levels set reserved = 1 where tenant_id = $1',
    undo: 'update stock_levels set reserved = 0 where tenant_id = $1',
    finds: /books: stock of \S+: \d+ on hand, 1 reserved/,
  },
  {
    what: 'an order that was paid without a payment',
    by: 'update orders set paid_amount = total_amount where tenant_id = $1',
    undo: 'update orders set paid_amount = 0 where tenant_id = $1',
    finds: /books: the \w+ order \S+ has received \d+, its payments 0/,
  },
  {
    what: 'an order of more than was taken',
    by: 'update order_line_items set quantity = quantity + 1 where tenant_id = $1',
    undo: 'update order_line_items set quantity = quantity - 1 where tenant_id = $1',
    finds: /books: order \S+ has \d+, and the stock movements \d+/,
  },
];

for (const { what, by, undo, finds } of corruptions) {
  t.test(`${what} is found`, (t) =>
    withReader(box.databaseUrl, async (run) => {
      await run('set session_replication_role = replica');
      await run(by, [tenant.tenantId]);
      t.match((await checkBooks(box.databaseUrl)).broken.join('\n'), finds);
      await run(undo, [tenant.tenantId]);
      t.strictSame((await checkBooks(box.databaseUrl)).broken, [], 'the books agree again');
    }),
  );
}

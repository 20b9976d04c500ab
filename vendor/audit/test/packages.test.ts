/**
 * Changes in other packages are recorded without their doing.
 */
import { createTestBox, exactly } from '@carton/runtime/testing';
import t from 'tap';

const names = ['core', 'auth', 'tenant', 'region', 'product', 'pricing', 'inventory', 'audit'];
const box = await createTestBox(t, { packages: names.map((name) => `@carton/${name}`) });

interface Entry {
  resource: string;
  resourceId: string;
  action: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

let seen = 0;

/** The entries since the last call, oldest first. */
async function newEntries(): Promise<Entry[]> {
  const { items } = (await box.staff.get('/admin/audit-log?limit=100')).body;
  const entries = items.slice(0, items.length - seen).reverse();
  seen = items.length;
  return entries;
}

const product = await box.staff.post('/admin/products', { title: 'Shirt', status: 'published', variants: [{}] });
const { id } = product.body.variants[0];

t.test('creating and renaming a product', async (t) => {
  const created = await newEntries();
  t.match(
    created.find(({ resource }) => resource === 'product'),
    { action: 'created', resourceId: product.body.id, before: null, after: { title: 'Shirt' } },
  );
  t.match(
    created.find(({ resource }) => resource === 'product_variant'),
    { action: 'created', resourceId: id },
  );
  await box.staff.patch(`/admin/products/${product.body.id}`, { title: 'Blue shirt' });
  t.strictSame(
    (await newEntries()).map(({ action, resource, before, after }) => ({ action, resource, before, after })),
    [{ action: 'updated', resource: 'product', before: { title: 'Shirt' }, after: { title: 'Blue shirt' } }],
  );
});

t.test('setting and deleting a price', async (t) => {
  /** Each change of a price also adds an entry to its history. */
  const entriesOfPrice = async () => {
    const entries = await newEntries();
    const isHistory = ({ resource }: { resource: string }) => resource === 'variant_price_change';
    t.match(entries.filter(isHistory), exactly([{ action: 'created', after: { variantId: id } }]));
    return entries.filter((entry) => !isHistory(entry));
  };
  await box.staff.put(`/admin/variants/${id}/prices`, { prices: [{ currency: 'EUR', amount: 1900 }] });
  t.match(
    await entriesOfPrice(),
    exactly([{ action: 'created', resource: 'variant_price', after: { variantId: id, amount: 1900 } }]),
  );
  await box.staff.post('/admin/prices/bulk', { prices: [{ variantId: id, currency: 'EUR', amount: 0 }] });
  t.match(
    await entriesOfPrice(),
    exactly([{ action: 'updated', resource: 'variant_price', before: { amount: 1900 }, after: { amount: 0 } }]),
  );
  await box.staff.put(`/admin/variants/${id}/prices`, { prices: [] });
  t.match(
    await entriesOfPrice(),
    exactly([{ action: 'deleted', resource: 'variant_price', before: { amount: 0 }, after: null }]),
  );
});

t.test('adjusting stock changes the level and the ledger', async (t) => {
  await box.staff.post(`/admin/stock-items/${id}/adjustments`, { quantity: 3, reason: 'received' });
  t.match(
    await newEntries(),
    exactly([
      { action: 'updated', resource: 'stock_level', resourceId: id, before: { onHand: 0 }, after: { onHand: 3 } },
      { action: 'created', resource: 'stock_movement', after: { quantity: 3, reason: 'received' } },
    ]),
  );
  await box.staff.patch(`/admin/stock-items/${id}`, { backOrderPolicy: 'allow' });
  t.match(
    await newEntries(),
    exactly([{ resource: 'stock_item', resourceId: id, before: { backOrderPolicy: 'deny' } }]),
  );
  await box.staff.post(`/admin/stock-items/${id}/adjustments`, { quantity: 1e10, reason: 'received' });
  t.strictSame(await newEntries(), [], 'a refused adjustment is not recorded');
});

/**
 * Weights are in grams; each variant also shows its weight in the store's unit.
 */
import { createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { packages } from './helpers.ts';

const box = await createTestBox(t, { packages, tier: 'basic' });

t.test("every read of a variant has its weight in the store's unit", async (t) => {
  const { body } = await box.staff.post('/admin/products', {
    title: 'Anvil',
    status: 'published',
    options: [{ name: 'Size', values: ['S', 'M', 'L', 'None'] }],
    variants: [240, 1, 4_535_924, null].map((weight, index) => ({
      weight,
      options: [{ name: 'Size', value: ['S', 'M', 'L', 'None'][index] }],
    })),
  });
  const reads = async () => {
    const visitor = box.visitor();
    const lists = [
      (await visitor.get('/products')).body.items[0].variants,
      (await visitor.get('/products/anvil?currency=EUR')).body.variants,
      (await box.staff.get('/admin/products')).body.items[0].variants,
      (await box.staff.get(`/admin/variants?productId=${body.id}`)).body.items,
      [(await visitor.get(`/variants/${body.variants[0].id}`)).body],
      [(await box.staff.get(`/admin/variants/${body.variants[0].id}`)).body],
    ];
    const byWeight = new Map<number | null, Set<string>>();
    for (const { weight, displayWeight } of lists.flat()) {
      byWeight.set(weight, (byWeight.get(weight) ?? new Set()).add(JSON.stringify(displayWeight)));
    }
    return [240, 1, 4_535_924, null].map((weight) => [...(byWeight.get(weight) ?? [])].map((text) => JSON.parse(text)));
  };
  const inUnit = (unit: string, values: number[]) => [...values.map((value) => [{ value, unit }]), [null]];
  t.strictSame(await reads(), inUnit('kg', [0.24, 0.001, 4535.924]));
  t.equal((await box.staff.patch('/admin/store', { weightUnit: 'lb' })).status, 200);
  t.strictSame(await reads(), inUnit('lb', [0.529, 0.002, 10_000.001]));
});

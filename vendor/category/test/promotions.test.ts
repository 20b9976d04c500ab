/**
 * The fact `category`: a promotion on a category applies to its products and to those of the categories below it.
 */
import { bodyOf, createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { createCategory, setProducts, unknownId } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic' });
const { staff } = box;

async function createArticle(title: string) {
  const product = await bodyOf(staff.post('/admin/products', { title, status: 'published' }));
  const variantId = product.variants[0].id;
  await bodyOf(staff.put(`/admin/variants/${variantId}/prices`, { prices: [{ currency: 'EUR', amount: 1000 }] }));
  const { items } = await bodyOf(staff.get(`/admin/stock-items?variantId=${variantId}`));
  const received = { quantity: 100, reason: 'received' };
  await bodyOf(staff.post(`/admin/stock-items/${items[0].id}/adjustments`, received));
  return { productId: product.id as string, variantId };
}

t.test('a promotion on a category applies to everything below it, hidden or not', async (t) => {
  const [shirt, tie, mug] = [await createArticle('Shirt'), await createArticle('Tie'), await createArticle('Mug')];
  const clothes = await createCategory(box, 'Clothes');
  const shirts = await createCategory(box, 'Shirts', clothes, { visible: false });
  const linen = await createCategory(box, 'Linen', shirts);
  const ties = await createCategory(box, 'Ties', clothes);
  const home = await createCategory(box, 'Home');
  await setProducts(box, linen, [shirt.productId]);
  await setProducts(box, ties, [tie.productId, mug.productId]);
  await setProducts(box, home, [mug.productId]);

  const shopper = box.shopper();
  for (const { variantId } of [shirt, tie, mug]) {
    await bodyOf(shopper.post('/cart/items', { variantId, quantity: 1 }));
  }
  const discount = async () => (await bodyOf(shopper.get('/cart'))).totals.discount.amount;
  const on = async (...categoryIds: string[]) => {
    const conditions = [{ fact: 'category', argument: { categoryIds } }];
    const promotion = { label: 'Sale', automatic: true, discount: { kind: 'percent', percent: 10 } };
    const noRules = { appliesTo: 'qualifying', minimumAmounts: [], minimumQuantity: 0 };
    const rules = { conditions, ...noRules, regionIds: [], membersOnly: false, firstOrder: false };
    const { id } = await bodyOf(staff.post('/admin/promotions', { ...promotion, rules }));
    const taken = await discount();
    await staff.delete(`/admin/promotions/${id}`);
    return taken;
  };
  t.equal(await on(clothes.id.toUpperCase()), -300, 'all are below it');
  t.equal(await on(shirts.id), -100);
  t.equal(await on(linen.id), -100);
  t.equal(await on(home.id), -100);
  t.equal(await on(ties.id, home.id), -200, 'each line once');
  t.equal(await on(unknownId), 0);
  await staff.patch(linen.path, { parentId: home.id });
  t.equal(await on(clothes.id), -200, 'after a move');
  t.equal(await on(home.id), -200);
  await staff.delete(home.path);
  t.equal(await on(linen.id), -100, 'after a deletion above it');
});

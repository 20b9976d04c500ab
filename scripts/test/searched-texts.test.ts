/**
 * Every filter `q` finds a text however its letters are composed, and with any apostrophe, without accents too.
 */
import { createMember } from '@carton/member/testing';
import { bodyOf, createTestBox } from '@carton/runtime/testing';
import t from 'tap';

const box = await createTestBox(t, { idleJobs: true });
const post = (path: string, body: object) => bodyOf(box.staff.post(`/admin/${path}`, body));

const texts = ['Zoë Müller', 'Åsa Łuk', 'Grace O’Neil', "Sean O'Brien", 'Crème brûlée'];
const words: [text: number, sought: string][] = [
  [0, 'müller'],
  [0, 'muller'],
  [0, 'zoë'],
  [1, 'åsa'],
  [1, 'Łuk'],
  [1, 'luk'],
  [2, "o'neil"],
  [2, 'o’neil'],
  [2, 'oneil'],
  [3, 'o’brien'],
  [3, "O'BRIEN"],
  [3, 'obrien'],
  [4, 'brûlée'],
  [4, 'brulee'],
];

for (const form of ['NFC', 'NFD'] as const) {
  for (const text of texts) {
    const title = text.normalize(form);
    const product = await post('products', { title, status: 'published' });
    const [{ id: variantId }] = product.variants;
    await bodyOf(box.staff.put(`/admin/variants/${variantId}/prices`, { prices: [{ currency: 'EUR', amount: 1000 }] }));
    await bodyOf(box.staff.patch(`/admin/stock-items/${variantId}`, { tracked: false }));
    const member = await createMember(box);
    await bodyOf(member.patch('/member', { name: title }));
    const shopper = box.shopper();
    await bodyOf(shopper.post('/cart/items', { variantId, quantity: 1 }));
    const customer = { email: `a${variantId}@example.com`, name: title };
    await bodyOf(shopper.post('/checkout', { customer }));
  }
}

/** How each list shows what was searched. */
const shownBy: Record<string, (item: never) => unknown> = {
  '/products': ({ title }: { title: string }) => title,
  '/admin/products': ({ title }: { title: string }) => title,
  '/admin/members': ({ name }: { name: string }) => name,
  '/admin/orders': ({ customer }: { customer: { name: string } }) => customer.name,
};

t.test('these are all filters by text', (t) => {
  const found = box.box.routes.filter(({ declaration: { query } }) => query && 'q' in (query.properties ?? {}));
  t.strictSame(found.map(({ declaration }) => declaration.path).toSorted(), Object.keys(shownBy).toSorted());
  t.end();
});

for (const [path, shown] of Object.entries(shownBy)) {
  t.test(`${path}?q=`, async (t) => {
    const caller = path.startsWith('/admin/') ? box.staff : box.visitor();
    for (const [text, sought] of words) {
      for (const form of ['NFC', 'NFD']) {
        const q = sought.normalize(form);
        const { items } = await bodyOf(caller.get(`${path}?${new URLSearchParams({ q, limit: '50' })}`));
        // Both were stored composed, however they were sent.
        const stored = texts[text]?.normalize('NFC');
        t.strictSame(items.map(shown), [stored, stored], `${q} ${form}`);
      }
    }
  });
}

t.test('products are found by their SKUs without accents, and without what nobody sees', async (t) => {
  const create = (title: string, sku: string) => post('products', { title, status: 'published', variants: [{ sku }] });
  await create('Summer', 'ÉTÉ-97161');
  await create('Cable', 'Kab-ÄB/12 3');
  const hidden = await create('Hidden', 'ZW\u200b-77\ufeff');
  for (const caller of [box.visitor(), box.staff]) {
    const path = caller === box.staff ? '/admin/products' : '/products';
    const find = async (q: string) =>
      (await bodyOf(caller.get(`${path}?${new URLSearchParams({ q })}`))).items.map(
        ({ title }: { title: string }) => title,
      );
    for (const q of ['ete-97161', 'été-97161', 'ÉTÉ-97', 'e\u0301te-9']) t.strictSame(await find(q), ['Summer'], q);
    for (const q of ['kab-ab', 'KAB-ÄB/12', 'kab-ab/12 3']) t.strictSame(await find(q), ['Cable'], q);
    t.strictSame(await find('zw-77'), ['Hidden']);
    for (const q of ['\u200b', '\u202e']) t.strictSame(await find(q), [], 'nothing finds nothing');
  }
  const taken = await box.staff.post('/admin/products', { title: 'Other', variants: [{ sku: 'zw-77' }] });
  t.match(taken, { status: 409, body: { code: 'sku_taken' } }, `a SKU that looks the same as that of ${hidden.id}`);
});

/**
 * Menus: what staff write, and what shoppers see of it.
 */
import { bodyOf, exactly, pointersOf, raceRounds } from '@carton/runtime/testing';
import t from 'tap';
import { isSafeAddress } from '../menus/addresses.ts';
import { createPage, openBox, unknownId } from './helpers.ts';

const box = await openBox(t);
const { staff } = box;
type Item = { title: string; url: string | null; items?: Item[] };

/** A menu as shoppers see it: `Shirts /products/shirt`, indented by level. */
async function shownOf(tenant: typeof box | Awaited<ReturnType<typeof box.openTenant>>, handle: string) {
  const lines = (items: Item[], indent = ''): string[] =>
    items.flatMap(({ title, url, items: below = [] }) => [`${indent}${title} ${url}`, ...lines(below, `${indent}  `)]);
  return lines((await bodyOf(tenant.visitor().get(`/menus/${handle}`))).items);
}
const product = await bodyOf(staff.post('/admin/products', { title: 'Shirt', status: 'published' }));
const category = await bodyOf(staff.post('/admin/categories', { name: 'Clothes' }));
const page = await createPage(box, { title: 'About us', status: 'published' });
const targets = {
  product: { type: 'product', id: product.id },
  category: { type: 'category', id: category.id },
  page: { type: 'page', id: page.id },
};

t.test('a menu is a tree of links to pages, products, categories and addresses', async (t) => {
  const items = [
    {
      title: 'Browse',
      items: [
        {
          target: targets.category,
          items: [{ target: targets.product }, { title: 'On sale', target: targets.product }],
        },
        { title: 'Sale', url: '/products?category=sale' },
      ],
    },
    { target: targets.page },
    { title: 'Blog', url: 'https://blog.example.com/?a=1' },
    { title: 'Mail', url: 'mailto:us@example.com' },
    { title: 'Call', url: 'tel:+4930123' },
  ];
  const menu = await bodyOf(staff.post('/admin/menus', { name: 'Main menu', items }));
  t.match(menu, { name: 'Main menu', handle: 'main-menu' });
  const shown = [
    'Browse null',
    '  Clothes /categories/clothes',
    '    Shirt /products/shirt',
    '    On sale /products/shirt',
    '  Sale /products?category=sale',
    'About us /pages/about-us',
    'Blog https://blog.example.com/?a=1',
    'Mail mailto:us@example.com',
    'Call tel:+4930123',
  ];
  t.strictSame(await shownOf(box, 'main-menu'), shown);
  t.strictSame(await shownOf(box, menu.id), shown, 'by its id');
  t.strictSame((await bodyOf(staff.get(`/admin/menus/${menu.id}`))).items, menu.items);
  await bodyOf(staff.patch(`/admin/products/${product.id}`, { title: 'Linen shirt', handle: 'linen' }));
  t.ok((await shownOf(box, 'main-menu')).includes('    Linen shirt /products/linen'), 'it follows the product');
  const put = await bodyOf(
    staff.put(`/admin/menus/${menu.id}`, { name: 'Menu', items: [{ title: 'Only', url: '/' }] }),
  );
  t.match(put, { name: 'Menu', handle: 'main-menu', items: exactly([{ title: 'Only', url: '/', items: [] }]) });
  t.strictSame(await shownOf(box, 'main-menu'), ['Only /']);
  t.match(await staff.delete(`/admin/menus/${menu.id}`), { status: 204 });
  t.match(await box.visitor().get('/menus/main-menu'), { status: 404 });
  t.strictSame(await box.db.query('select * from menu_items where tenant_id = $1'), []);
});

t.test('shoppers do not see items whose target is hidden or gone; staff see why', async (t) => {
  const draft = await createPage(box, { title: 'Draft' });
  const scheduled = await createPage(box, {
    title: 'Later',
    status: 'published',
    publishAt: new Date(Date.now() + 3_600_000).toISOString(),
  });
  const deleted = await bodyOf(staff.post('/admin/products', { title: 'Deleted', status: 'published' }));
  const unpublished = await bodyOf(staff.post('/admin/products', { title: 'Unpublished', status: 'draft' }));
  const hidden = await bodyOf(staff.post('/admin/categories', { name: 'Hidden', visible: false }));
  const below = await bodyOf(staff.post('/admin/categories', { name: 'Below', parentId: hidden.id }));
  const items = [
    { target: { type: 'page', id: draft.id }, items: [{ title: 'Child', url: '/child' }] },
    { target: { type: 'page', id: scheduled.id } },
    { target: { type: 'product', id: deleted.id } },
    { title: 'Named', target: { type: 'product', id: unpublished.id } },
    { target: { type: 'category', id: hidden.id } },
    { target: { type: 'category', id: below.id } },
    { target: targets.category },
  ];
  const menu = await bodyOf(staff.post('/admin/menus', { name: 'Footer', items }));
  await bodyOf(staff.delete(`/admin/products/${deleted.id}`));
  t.strictSame(await shownOf(box, 'footer'), ['Clothes /categories/clothes']);
  const seen = await bodyOf(staff.get(`/admin/menus/${menu.id}`));
  t.strictSame(
    seen.items.map(({ state, targetTitle }: Record<string, string>) => [state, targetTitle]),
    [
      ['hidden', 'Draft'],
      ['hidden', 'Later'],
      ['gone', null],
      ['hidden', 'Unpublished'],
      ['hidden', 'Hidden'],
      ['hidden', 'Below'],
      ['shown', 'Clothes'],
    ],
  );
  t.match(await staff.put(`/admin/menus/${menu.id}`, { name: 'Footer', items }), { status: 200 }, 'it stays editable');
  await bodyOf(staff.patch(`/admin/pages/${draft.id}`, { status: 'published' }));
  t.strictSame(await shownOf(box, 'footer'), ['Draft /pages/draft', '  Child /child', 'Clothes /categories/clothes']);
});

t.test('an address runs nothing', async (t) => {
  const unsafe = [
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    ' javascript:alert(1)',
    'java\tscript:alert(1)',
    'java\nscript:alert(1)',
    '\u0001javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    'ftp://example.com',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    'https:evil.example',
    'https:/evil.example',
    'https:///evil.example',
    'https://user@example.com',
    'https://user:password@example.com',
    'https://',
    'evil.example',
    'about',
    '',
  ];
  for (const url of unsafe) t.equal(isSafeAddress(url), false, JSON.stringify(url));
  const safe = ['/', '/a?b=c#d', '/a//b', 'https://example.com', 'HTTP://example.com/a', 'mailto:a@b.c', 'tel:110'];
  for (const url of safe) t.equal(isSafeAddress(url), true, url);
  // An empty address is none.
  for (const url of unsafe.filter((each) => each !== '')) {
    const refused = await staff.post('/admin/menus', { name: 'Unsafe', items: [{ title: 'A', url }] });
    t.match(refused, { status: 400, body: { code: 'invalid_request' } }, JSON.stringify(url));
  }
});

t.test('a tree has at most three levels and 250 items, and items have a destination or a title', async (t) => {
  const refuse = async (items: unknown[], pointer: string) => {
    const refused = await staff.post('/admin/menus', { name: 'Refused', items });
    t.equal(refused.status, 400);
    t.strictSame(pointersOf(refused), [pointer]);
  };
  const leaf = { title: 'A', url: '/a' };
  const level = (...items: unknown[]) => ({ ...leaf, items });
  await refuse([level(level(level(leaf)))], '/items/0/items/0/items/0/items');
  await refuse([{ ...leaf, target: targets.page }], '/items/0/url');
  await refuse([leaf, level({ url: '/b' })], '/items/1/items/0/title');
  await refuse([leaf, level(level({ title: 'A', url: 'ftp://a' }))], '/items/1/items/0/items/0/url');
  await refuse([{ target: { type: 'product', id: unknownId } }], '/items/0/target');
  await refuse([{ target: { type: 'brand', id: product.id } }], '/items/0/target');
  await refuse([{ target: { type: 'page', id: product.id } }], '/items/0/target');
  const many = (count: number) => Array.from({ length: count }, () => leaf);
  await refuse([level(...many(125)), level(...many(124))], '/items');
  const largest = { name: 'Largest', items: [level(...many(125)), level(...many(123))] };
  t.match(await staff.post('/admin/menus', largest), { status: 201 });
  t.equal((await shownOf(box, 'largest')).length, 250);
});

t.test('of trees that are set concurrently one remains', async (t) => {
  const { id } = await bodyOf(staff.post('/admin/menus', { name: 'Race' }));
  const path = `/admin/menus/${id}`;
  const trees = ['A', 'B', 'C'].map((title) => [
    { title, url: '/', items: [{ title: `${title}1`, url: '/' }] },
    { title: `${title}2`, url: '/' },
  ]);
  for (let round = 0; round < raceRounds; round++) {
    const { headers } = await staff.get(path);
    const conditional = round % 2 === 0 ? {} : { headers: { 'if-match': headers.get('etag') as string } };
    const name = `Race ${round}`;
    const answers = await Promise.all(trees.map((items) => staff.put(path, { name, items }, conditional)));
    const expected = round % 2 === 0 ? [200, 200, 200] : [200, 412, 412];
    t.strictSame(answers.map(({ status }) => status).toSorted(), expected);
    const [first = ''] = await shownOf(box, 'race');
    const letter = first.charAt(0);
    t.strictSame(await shownOf(box, 'race'), [`${letter} /`, `  ${letter}1 /`, `${letter}2 /`]);
  }
});

t.test('handles are unique in a store', async (t) => {
  const taken = { status: 409, body: { code: 'menu_handle_taken' } };
  const { id } = await bodyOf(staff.post('/admin/menus', { name: 'Twice' }));
  t.equal((await bodyOf(staff.post('/admin/menus', { name: 'Twice' }))).handle, 'twice-2');
  t.match(await staff.post('/admin/menus', { name: 'Other', handle: 'twice' }), taken);
  t.match(await staff.put(`/admin/menus/${id}`, { name: 'Twice', handle: 'twice-2', items: [] }), taken);
});

t.test('a menu belongs to one tenant, and links to resources of that tenant only', async (t) => {
  const other = await box.openTenant();
  const theirs = await createPage(other, { title: 'Private', status: 'published' });
  const menu = await bodyOf(other.staff.post('/admin/menus', { name: 'Private', items: [{ title: 'A', url: '/' }] }));
  const target = { type: 'page', id: theirs.id };
  t.match(await staff.post('/admin/menus', { name: 'Ours', items: [{ target }] }), { status: 400 });
  t.match(await box.visitor().get('/menus/private'), { status: 404 });
  t.match(await box.visitor().get(`/menus/${menu.id}`), { status: 404 });
  t.match(await staff.get(`/admin/menus/${menu.id}`), { status: 404 });
  t.match(await staff.put(`/admin/menus/${menu.id}`, { name: 'Mine', items: [] }), { status: 404 });
  t.match(await staff.delete(`/admin/menus/${menu.id}`), { status: 404 });
  t.strictSame(await shownOf(other, 'private'), ['A /']);
});

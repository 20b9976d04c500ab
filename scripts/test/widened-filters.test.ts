/**
 * No filter of a caller widens what it sees: every list and page of shoppers is read with each of its parameters, and
 * with the names that other software has for them, set to whatever may include drafts, deleted rows and the orders of others.
 */
import { createMember } from '@carton/member/testing';
import { bodyOf, type Caller, createTestBox, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';
import { accessKindsOf, type RouteDeclaration } from '../../runtime/http/route.ts';

const box = await createTestBox(t, { idleJobs: true });
const other = await box.openTenant();

/** In the text of everything that the callers may not see. */
const mark = 'qhidden';
const post = (tenant: TestTenant, path: string, body: object) => bodyOf(tenant.staff.post(`/admin/${path}`, body));
const later = new Date(Date.now() + 86_400_000).toISOString();
const hiddenIds: string[] = [];
const hide = async (path: string, body: object, tenant: TestTenant = box) => {
  const { id } = await post(tenant, path, body);
  hiddenIds.push(id);
  return id as string;
};

const shown = await post(box, 'products', { title: 'Shown shirt', status: 'published' });
const category = await post(box, 'categories', { name: 'Shown clothes' });
await bodyOf(box.staff.put(`/admin/categories/${category.id}/products`, { productIds: [shown.id] }));
const collection = await post(box, 'collections', { title: 'Shown summer', productIds: [shown.id] });
const page = await post(box, 'pages', { title: 'Shown page', status: 'published' });
const region = await post(box, 'regions', { name: 'Shown region', currency: 'EUR', countries: ['FR'] });
const [{ id: variantId }] = shown.variants;
await bodyOf(box.staff.put(`/admin/variants/${variantId}/prices`, { prices: [{ currency: 'EUR', amount: 1000 }] }));
await bodyOf(box.staff.patch(`/admin/stock-items/${variantId}`, { tracked: false }));

const unpublished = [
  await hide('products', { title: `${mark} draft` }),
  await hide('products', { title: `${mark} archive`, status: 'archived' }),
  await hide('products', { title: `${mark} schedule`, status: 'published', publishAt: later }),
];
const deleted = await hide('products', { title: `${mark} deleted`, status: 'published' });
const all = [...unpublished, deleted, shown.id];
await bodyOf(box.staff.put(`/admin/categories/${category.id}/products`, { productIds: all }));
await bodyOf(box.staff.put(`/admin/collections/${collection.id}/products`, { productIds: all }));
await bodyOf(
  box.staff.put(`/admin/products/${shown.id}/related`, {
    items: [...unpublished, deleted].map((productId) => ({ productId })),
  }),
);
await box.staff.delete(`/admin/products/${deleted}`);
await hide('categories', { name: `${mark} category`, visible: false });
await hide('pages', { title: `${mark} page` });
await hide('pages', { title: `${mark} page of tomorrow`, status: 'published', publishAt: later });
await hide('products', { title: `${mark} other store`, status: 'published' }, other);
await hide('collections', { title: `${mark} other store` }, other);

/** Places an order. */
async function order(shopper: Caller, name: string): Promise<string> {
  await bodyOf(shopper.post('/cart/items', { variantId, quantity: 1 }));
  const customer = { email: `${name}@example.com`, name };
  return (await bodyOf(shopper.post('/checkout', { customer }))).id;
}
const [member, otherMember] = [await createMember(box), await createMember(box)];
const shopper = box.shopper();
await order(member, 'own');
hiddenIds.push(await order(otherMember, `${mark}member`), await order(box.shopper(), `${mark}guest`));
hiddenIds.push((await bodyOf(otherMember.get('/member'))).id);
await bodyOf(shopper.post('/cart/items', { variantId, quantity: 1 }));

interface Property {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Property[];
}
const choicesIn = ({ enum: values = [], const: value, anyOf = [] }: Property): unknown[] => [
  ...values,
  ...(value === undefined ? [] : [value]),
  ...anyOf.flatMap(choicesIn),
];

const wide = ['draft', 'archived', 'deleted', 'all', 'any', '*', '%', 'true', 'false', 'null', '', mark, '-1'];
/** What other software calls such parameters. */
const names = [
  ...['status', 'state', 'visible', 'published', 'publishAt', 'deleted', 'deletedAt', 'includeDeleted', 'withDeleted'],
  ...[
    'include',
    'expand',
    'populate',
    'preview',
    'draft',
    'filter',
    'filters',
    'where',
    'q',
    'search',
    'fields',
    'sort',
  ],
  ...[
    'memberId',
    'customerId',
    'userId',
    'email',
    'tenantId',
    'tenant',
    'storeId',
    'admin',
    'role',
    'scope',
    'ids',
    'id',
  ],
  ...['filter[status]', 'filter[deletedAt]', 'where[status]', '$where', 'status[]', 'status[$ne]', 'productIds', 'or'],
];

/** Queries of an operation: each parameter with each value, and all of the other names at once. */
function* queriesOf({ query }: RouteDeclaration): Generator<string> {
  const declared = Object.entries((query as { properties?: Record<string, Property> } | undefined)?.properties ?? {});
  const isDeclared = new Set(declared.map(([name]) => name));
  for (const [name, property] of declared) {
    for (const value of new Set([...choicesIn(property), ...wide, ...hiddenIds.slice(0, 4), ...hiddenIds.slice(-4)]))
      yield new URLSearchParams({ [name]: String(value) }).toString();
  }
  const undeclared = names.filter((name) => !isDeclared.has(name));
  for (const value of ['draft', 'all', 'true', '*', ...hiddenIds.slice(0, 1), other.id])
    yield new URLSearchParams(undeclared.map((name): [string, string] => [name, value])).toString();
  yield 'status=draft&status=published';
}

/** The queries whose responses have what they must not have, or are errors of the box. */
async function seenBy(caller: Caller, declaration: RouteDeclaration, hidden: readonly string[]) {
  const path = declaration.path.replace(/:\w+/, samples[declaration.path] ?? '');
  const seen: string[] = [];
  let shownIn = 0;
  for (const query of ['', ...queriesOf(declaration)]) {
    const { status, body } = await caller.get(`${path}?${query}`);
    // Handles are in lower case.
    const text = JSON.stringify(body ?? '').toLowerCase();
    if (status === 200 && text.includes('shown')) shownIn++;
    // Errors repeat what was sent.
    if (status >= 500 || (status === 200 && hidden.some((each) => text.includes(each))))
      seen.push(`${status} ?${query}`);
  }
  return { seen, shownIn };
}

const samples: Record<string, string> = {
  '/categories/:handle': category.handle,
  '/collections/:handle': collection.handle,
  '/products/:handle': shown.handle,
  '/products/:handle/related': shown.handle,
  '/pages/:handle': page.handle,
  '/regions/:id': region.id,
  '/variants/:id': variantId,
  '/variants/:id/availability': variantId,
};
const kinds = ['public', 'session', 'member'];
const reads = box.box.routes
  .map(({ declaration }) => declaration)
  .filter(({ method, path }) => method === 'get' && !/^\/(health|metrics|docs)\b/.test(path))
  .filter((declaration) => {
    const access = accessKindsOf(declaration);
    return access.length === 0 || access.some((kind) => kinds.includes(kind));
  })
  .filter(({ path }) => !path.includes(':') || samples[path] !== undefined);

t.test('the lists and pages of shoppers are among those that are read', async (t) => {
  const paths = new Set(reads.map(({ path }) => path));
  for (const path of [
    '/products',
    '/categories',
    '/collections',
    '/member/orders',
    '/sitemap.xml',
    ...Object.keys(samples),
  ])
    t.ok(paths.has(path), path);
});

t.test('what is hidden from shoppers is hidden with every filter', async (t) => {
  const visitor: [string, Caller] = ['visitor', box.visitor()];
  const callers: [string, Caller][] = [
    ['member', member],
    ['session', shopper],
  ];
  let found = 0;
  for (const declaration of reads) {
    const kind = callers.find(([each]) => accessKindsOf(declaration).includes(each)) ?? visitor;
    const { seen, shownIn } = await seenBy(kind[1], declaration, [mark]);
    t.strictSame(seen, [], `${declaration.operationId} as ${kind[0]}`);
    found += shownIn;
  }
  t.ok(found > Object.keys(samples).length, 'what is public is found');
});

t.test('what is deleted, or of another store, is hidden from staff with every filter', async (t) => {
  const gone = 'qgone';
  const foreign = `${mark} other store`;
  for (const [path, name] of [
    ['products', 'title'],
    ['categories', 'name'],
    ['collections', 'title'],
    ['pages', 'title'],
    ['promotions', 'label'],
  ] as const) {
    const more = path === 'promotions' ? { discount: { kind: 'percent', percent: 5 } } : {};
    const { id } = await post(box, path, { [name]: gone, ...more });
    hiddenIds.push(id);
    await bodyOf(box.staff.delete(`/admin/${path}/${id}`));
  }
  const staffLists = box.box.routes
    .map(({ declaration }) => declaration)
    .filter(({ method, path }) => method === 'get' && path.startsWith('/admin/') && !path.includes(':'))
    .filter((declaration) => accessKindsOf(declaration).includes('staff'))
    // Which tell what was, on purpose.
    .filter(({ path }) => !/audit|export/.test(path));
  t.ok(staffLists.length > 20);
  for (const declaration of staffLists)
    t.strictSame((await seenBy(box.staff, declaration, [gone, foreign])).seen, [], declaration.operationId);
});

/**
 * Variants: added, found, changed and deleted; a SKU belongs to one variant of a tenant; weights are in grams, and shown in
 * the store's unit, too.
 */
import { createTestBox, eventsOf, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { fillWords } from '../search/job.ts';
import { createProduct, packages } from './helpers.ts';

const box = await createTestBox(t, { packages, tier: 'basic' });

const size = (value: string) => ({ options: [{ name: 'Size', value }] });

async function createShirt(values: string[], variants?: unknown[]) {
  const options = values.length > 0 ? [{ name: 'Size', values }] : [];
  const created = await createProduct(box, { title: 'Shirt', options, variants });
  return { ...created, path: `/admin/products/${created.id}` };
}

t.test('a variant is added after the others', async (t) => {
  const product = await createShirt(['S', 'M', 'L'], [size('S')]);
  const added = await box.staff.post(`${product.path}/variants`, { ...size('M'), sku: 'SH-M', weight: 200 });
  t.match(added, {
    status: 201,
    body: { productId: product.id, title: 'M', sku: 'SH-M', weight: 200, position: 1, price: null, ...size('M') },
  });
  t.equal(added.headers.get('location'), `/admin/variants/${added.body.id}`);
  t.strictSame((await box.staff.get(`/admin/variants/${added.body.id}`)).body, added.body);
  t.strictSame((await box.staff.get(product.path)).body.variants[1], added.body);
  t.match(
    await eventsOf(box, added.body.id),
    exactly([{ type: 'variant.created', payload: { productId: product.id, sku: 'SH-M' } }]),
  );

  const cases: [body: object, status: number, response: object][] = [
    [size('M'), 409, { code: 'variant_choice_taken', detail: /^M already has/ }],
    [{ ...size('L'), sku: 'SH-M' }, 409, { code: 'sku_taken', detail: /SH-M/ }],
    [size('XL'), 400, { errors: [{ pointer: '/options/0/value' }] }],
    [{}, 400, { errors: [{ pointer: '/options' }] }],
    [{ ...size('L'), originCountry: 'XX' }, 400, { errors: [{ pointer: '/originCountry' }] }],
  ];
  for (const [body, status, response] of cases) {
    t.match(await box.staff.post(`${product.path}/variants`, body), { status, body: response }, JSON.stringify(body));
  }
  const plain = await createShirt([]);
  const second = await box.staff.post(`${plain.path}/variants`, {});
  t.match(second, { status: 409, body: { code: 'variant_choice_taken', detail: /Add an option/ } });
});

t.test('the number of variants is limited', async (t) => {
  const values = Array.from({ length: 63 }, (_, index) => `v${index}`);
  const options = [
    { name: 'A', values },
    { name: 'B', values: ['1', '2', '3', '4'] },
  ];
  const over = await box.staff.post('/admin/products', { title: 'Over', options });
  t.match(over, {
    status: 400,
    body: { errors: exactly([{ pointer: '/options', detail: /252 variants; the maximum is 250/ }]) },
  });
  const variants = values.slice(0, 50).flatMap((a) =>
    ['1', '2', '3', '4'].map((b) => ({
      options: [
        { name: 'A', value: a },
        { name: 'B', value: b },
      ],
    })),
  );
  const full = values.slice(50).flatMap((a) =>
    ['1', '2', '3', '4'].map((b) => ({
      options: [
        { name: 'A', value: a },
        { name: 'B', value: b },
      ],
    })),
  );
  const created = await box.staff.post('/admin/products', {
    title: 'Full',
    options,
    variants: [...variants, ...full].slice(0, 250),
  });
  t.equal(created.body.variants.length, 250);
  const more = await box.staff.post(`/admin/products/${created.body.id}/variants`, [...variants, ...full][250]);
  t.match(more, { status: 409, body: { code: 'product_limit_reached' } });
});

t.test('every field of a variant can be changed and cleared', async (t) => {
  const product = await createShirt(
    ['S', 'M', 'L'],
    [
      { ...size('S'), sku: 'CH-S' },
      { ...size('M'), sku: 'CH-M' },
    ],
  );
  const [small] = product.variants;
  const path = `/admin/variants/${small.id}`;
  const patch = { sku: 'CH-1', barcode: '123', weight: 1, hsCode: '620520', originCountry: 'PT', position: 9 };
  t.match(await box.staff.patch(path, patch), { status: 200, body: { ...patch, title: 'S' } });
  const order = (await box.staff.get(product.path)).body.variants.map(({ title }: { title: string }) => title);
  t.strictSame(order, ['M', 'S']);
  const empty = { sku: null, barcode: null, weight: null, hsCode: null, originCountry: null };
  t.match(await box.staff.patch(path, empty), { status: 200, body: empty });
  t.match(await box.staff.patch(path, size('L')), { status: 200, body: { title: 'L', ...size('L') } });
  t.match(await box.staff.patch(path, { title: 'Large' }), { body: { title: 'Large' } });
  t.match(await box.staff.patch(path, size('L')), { status: 200, body: { title: 'Large' } }, 'its own values again');
  t.match(
    await box.staff.patch(path, size('S')),
    { body: { title: 'Large', ...size('S') } },
    'a title that was set stays',
  );
  const types = (await eventsOf(box, small.id)).map(({ type }) => type);
  t.strictSame(types, Array(6).fill('variant.updated'));

  const cases: [body: object, status: number, response: object][] = [
    [size('M'), 409, { code: 'variant_choice_taken' }],
    [{ sku: 'CH-M' }, 409, { code: 'sku_taken' }],
    [{ options: [] }, 400, { errors: [{ pointer: '/options' }] }],
    [{ originCountry: 'ZZ' }, 400, { errors: [{ pointer: '/originCountry' }] }],
    [{ weight: 1.5 }, 400, { errors: [{ pointer: '/weight' }] }],
    [{ price: 5 }, 400, { errors: [{ pointer: '/price' }] }],
    [{}, 400, {}],
  ];
  for (const [body, status, response] of cases) {
    t.match(await box.staff.patch(path, body), { status, body: response }, JSON.stringify(body));
  }
  const unknown = '/admin/variants/0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001';
  t.match(await box.staff.patch(unknown, patch), { status: 404 });
  t.match(await box.staff.get(unknown), { status: 404 });
  t.match(await box.staff.delete(unknown), { status: 404 });
});

t.test('an id in capital letters is the same id', async (t) => {
  const product = await createShirt(['S', 'M']);
  const id = product.variants[0].id.toUpperCase();
  t.match(await box.staff.patch(`/admin/variants/${id}`, size('S')), { status: 200 });
  const option = product.options[0].id.toUpperCase();
  t.match(await box.staff.patch(`${product.path}/options/${option}`, { name: 'Fit' }), { status: 200 });
});

t.test('a deleted variant releases its SKU and values; the last one cannot be deleted', async (t) => {
  const product = await createShirt(['S', 'M'], [{ ...size('S'), sku: 'DEL' }, size('M')]);
  const [small, medium] = product.variants;
  t.match(await box.staff.delete(`/admin/variants/${small.id}`), { status: 204 });
  t.match(await box.staff.delete(`/admin/variants/${small.id}`), { status: 404 });
  t.match(await box.staff.get(`/admin/variants/${small.id}`), { status: 404 });
  t.match(await eventsOf(box, small.id), exactly([{ type: 'variant.deleted', payload: { sku: 'DEL' } }]));
  const last = await box.staff.delete(`/admin/variants/${medium.id}`);
  t.match(last, { status: 409, body: { code: 'last_variant' } });
  const again = await box.staff.post(`${product.path}/variants`, { ...size('S'), sku: 'DEL' });
  t.equal(again.status, 201);

  const both = await Promise.all(
    [medium.id, again.body.id].map((id: string) => box.staff.delete(`/admin/variants/${id}`)),
  );
  t.strictSame(both.map(({ status }) => status).sort(), [204, 409], 'of two concurrent deletions one succeeds');
});

t.test('SKUs are compared without case, and those of earlier releases stay', async (t) => {
  const skuOf = (sku: string) => box.staff.post('/admin/products', { title: 'One of them', variants: [{ sku }] });
  const first = await skuOf(' Case-Ä1 ');
  t.match(first, { status: 201, body: { variants: exactly([{ sku: 'Case-Ä1' }]) } });
  for (const sku of ['Case-Ä1', 'CASE-ä1', 'case-a\u03081', ' ｃａｓｅ－Ä1']) {
    t.match(await skuOf(sku), { status: 409, body: { code: 'sku_taken', detail: /Case-Ä1/ } }, sku);
  }
  t.match(await skuOf('   '), { status: 201, body: { variants: exactly([{ sku: null }]) } }, 'a blank one is none');
  t.equal((await skuOf('case-a1')).status, 201, 'accents matter');
  const both = await box.staff.post('/admin/products', {
    title: 'Both',
    options: [{ name: 'Size', values: ['S', 'M'] }],
    variants: [
      { ...size('S'), sku: 'same' },
      { ...size('M'), sku: 'SAME ' },
    ],
  });
  t.match(both, { status: 400, body: { errors: exactly([{ pointer: '/variants/1/sku' }]) } });
  // With handles of their own: those that are derived wait for each other.
  const raced = await Promise.all(
    ['race-case', 'Race-Case', 'RACE-CASE', 'race-CASE', 'RACE-case', 'rACE-cASE'].map((sku, at) =>
      box.staff.post('/admin/products', { title: 'Raced', handle: `raced-${at}`, variants: [{ sku }] }),
    ),
  );
  t.strictSame(raced.map(({ status }) => status).sort(), [201, 409, 409, 409, 409, 409]);
  // As an earlier release has stored it.
  const second = await skuOf('other');
  const { id } = second.body.variants[0];
  await box.owner.query(`update product_variants set sku = 'CASE-Ä1' where id = '${id}'`);
  t.match(await box.staff.patch(`/admin/variants/${id}`, { sku: 'CASE-Ä1', weight: 5 }), { status: 200 });
  const found = await box.staff.get(`/admin/variants?sku=${encodeURIComponent('case-ä1')}`);
  t.strictSame(found.body.items.map(({ sku }: { sku: string }) => sku).sort(), ['CASE-Ä1', 'Case-Ä1']);
  t.match(await skuOf('case-Ä1'), { status: 409 });
  t.match(await box.staff.patch(`/admin/variants/${id}`, { sku: 'case-Ä1' }), { status: 409 });
});

t.test('variants are found by SKU, barcode and product', async (t) => {
  const first = await createShirt(
    ['S', 'M'],
    [
      { ...size('S'), sku: 'F-S', barcode: '777' },
      { ...size('M'), sku: 'F-M' },
    ],
  );
  const second = await createShirt([], [{ sku: 'F-2', barcode: '777' }]);
  const found = async (query: string) =>
    (await box.staff.get(`/admin/variants?${query}`)).body.items.map(({ sku }: { sku: string }) => sku);
  t.strictSame(await found('sku=F-S'), ['F-S']);
  t.strictSame(await found('sku=f-s'), ['F-S'], 'without regard to case');
  t.strictSame(await found('sku=%20f-m%20'), ['F-M']);
  t.strictSame(await found('sku=F'), []);
  t.strictSame((await found('barcode=777')).sort(), ['F-2', 'F-S']);
  t.strictSame((await found(`productId=${first.id}`)).sort(), ['F-M', 'F-S']);
  t.strictSame(await found(`productId=${second.id}&barcode=777`), ['F-2']);
  t.match(await box.staff.get('/admin/variants?productId=x'), { status: 400 });
  const page = (await box.staff.get(`/admin/variants?productId=${first.id}&limit=1`)).body;
  const next = (await box.staff.get(`/admin/variants?productId=${first.id}&limit=1&cursor=${page.nextCursor}`)).body;
  t.strictSame([page.items[0].sku, next.items[0].sku].sort(), ['F-M', 'F-S']);
  t.match(
    [page.items[0], next.items[0]].sort((a, b) => a.position - b.position),
    exactly([size('S'), size('M')]),
  );
});

t.test('of concurrent requests for one SKU or choice, one succeeds', async (t) => {
  const values = ['S', 'M', 'L', 'XL'];
  const product = await createShirt(values, [size('S')]);
  const others = await Promise.all(values.slice(1).map(() => createShirt([])));
  const sameChoice = await Promise.all([1, 2, 3].map(() => box.staff.post(`${product.path}/variants`, size('M'))));
  t.strictSame(sameChoice.map(({ status }) => status).sort(), [201, 409, 409]);
  const sameSku = await Promise.all(
    others.map(({ variants }) => box.staff.patch(`/admin/variants/${variants[0].id}`, { sku: 'ONE' })),
  );
  t.strictSame(sameSku.map(({ status }) => status).sort(), [200, 409, 409]);
  const tenant = await box.openTenant();
  const theirs = await tenant.staff.post('/admin/products', { title: 'Theirs', variants: [{ sku: 'ONE' }] });
  t.equal(theirs.status, 201, 'another tenant may use the SKU');
});

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

t.test('SKUs are folded as codes of promotions are', async (t) => {
  const create = (sku: string) => box.staff.post('/admin/products', { title: 'Folded', variants: [{ sku }] });
  const pairs = [
    ['straße9', 'STRASSE9'],
    ['ΑΒΓΣ', 'αβγσ'],
    ['ΣΣ9', 'σσ9'],
    ['İX9', 'ix9'],
    ['zz9', 'z\u200bZ9'],
    ['ABC-9', 'ABC-9\u202e'],
  ] as const;
  for (const [one, other] of pairs) {
    t.equal((await create(one)).status, 201, one);
    t.match(await create(other), { status: 409, body: { code: 'sku_taken' } }, other);
    const found = await box.staff.get(`/admin/variants?sku=${encodeURIComponent(other)}`);
    t.match(found.body.items, exactly([{ sku: one }]), 'it is found so');
  }
  t.match((await create('Q\u200b9\u00ad')).body, { variants: exactly([{ sku: 'Q9' }]) });
  t.match(await create('\u200b'), { status: 201, body: { variants: exactly([{ sku: null }]) } });
});

t.test('two SKUs of before that are the same by now are read and edited', async (t) => {
  const create = async (sku: string) =>
    (await box.staff.post('/admin/products', { title: 'Old', variants: [{ sku }] })).body.variants[0].id;
  const [one, other] = [await create('old-ss-1'), await create('old-other')];
  const set = (id: string, sku: string) =>
    box.db.query('update product_variants set sku = $3 where tenant_id = $1 and id = $2', [id, sku]);
  await set(one, 'OLD-SS-1');
  await set(other, 'old-\u200bß-1');
  for (const [id, sku] of [
    [one, 'OLD-SS-1'],
    [other, 'old-\u200bß-1'],
  ] as const) {
    t.match(await box.staff.get(`/admin/variants/${id}`), { status: 200, body: { sku } });
    t.match(await box.staff.patch(`/admin/variants/${id}`, { weight: 7 }), { status: 200, body: { sku } });
    t.match(await box.staff.patch(`/admin/variants/${id}`, { sku, weight: 8 }), { status: 200, body: { sku } });
  }
  await fillWords(box.db);
  t.match(await box.staff.patch(`/admin/variants/${one}`, { sku: 'old-ẞ-1' }), { status: 409 }, 'no further one');
});

/**
 * Options: every variant has exactly one value of each, and no two variants have the same values.
 */
import { createTestBox, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { createProduct, packages } from './helpers.ts';

const box = await createTestBox(t, { packages, tier: 'basic' });

async function createShirt(options: { name: string; values: string[] }[], variants?: unknown[]) {
  const created = await createProduct(box, { title: 'Shirt', options, variants });
  return { ...created, path: `/admin/products/${created.id}` };
}

const size = { name: 'Size', values: ['S', 'M'] };
const titles = (product: { variants: { title: string }[] }) => product.variants.map(({ title }) => title);
const valuesOf = (product: { options: { values: { value: string }[] }[] }, at = 0) =>
  product.options[at]?.values.map(({ value }) => value);

t.test('an added option gives its first value to existing variants', async (t) => {
  const product = await createShirt(
    [size],
    [{ options: [{ name: 'Size', value: 'S' }] }, { title: 'Mine', options: [{ name: 'Size', value: 'M' }] }],
  );
  const added = await box.staff.post(`${product.path}/options`, { name: 'Colour', values: ['Red', 'Blue'] });
  t.equal(added.status, 201);
  t.strictSame(titles(added.body), ['S / Red', 'Mine'], 'a default title follows the values, any other stays');
  t.match(
    added.body.variants[1].options,
    exactly([
      { name: 'Size', value: 'M' },
      { name: 'Colour', value: 'Red' },
    ]),
  );

  const again = await box.staff.post(`${product.path}/options`, { name: 'colour', values: ['1'] });
  t.match(again, { status: 409, body: { code: 'product_option_taken' } });
  const twice = await box.staff.post(`${product.path}/options`, { name: 'Fit', values: ['Slim', 'slim'] });
  t.match(twice, { status: 400, body: { errors: exactly([{ pointer: '/values/1' }]) } });
  for (const name of ['A', 'B', 'C']) await box.staff.post(`${product.path}/options`, { name, values: ['1'] });
  const sixth = await box.staff.post(`${product.path}/options`, { name: 'D', values: ['1'] });
  t.match(sixth, { status: 409, body: { code: 'product_limit_reached' } });
});

t.test('an option is renamed, and its values are reordered, renamed, added and removed', async (t) => {
  const product = await createShirt([size, { name: 'Colour', values: ['Red'] }]);
  const [option] = product.options;
  const path = `${product.path}/options/${option.id}`;
  const [small, medium] = option.values;
  t.match(await box.staff.patch(path, { name: 'Fit' }), {
    status: 200,
    body: { options: exactly([{ name: 'Fit' }, {}]) },
  });
  t.match(await box.staff.patch(path, { name: 'fit' }), { status: 200 }, 'its own name in another case');
  t.match(await box.staff.patch(path, { name: 'COLOUR' }), { status: 409, body: { code: 'product_option_taken' } });

  const changed = await box.staff.patch(path, { values: [{ value: 'L' }, medium, { id: small.id, value: 'XS' }] });
  t.strictSame(valuesOf(changed.body), ['L', 'M', 'XS']);
  t.strictSame(titles(changed.body), ['XS / Red', 'M / Red']);
  const traded = await box.staff.patch(path, {
    values: [
      { id: small.id, value: 'M' },
      { id: medium.id, value: 'XS' },
    ],
  });
  t.strictSame(titles(traded.body), ['M / Red', 'XS / Red'], 'two values swap names, and the unused third is removed');
  t.strictSame(valuesOf(traded.body), ['M', 'XS']);

  const cases: [values: unknown[], status: number, response: object][] = [
    [[small], 409, { code: 'option_value_in_use' }],
    [[], 400, {}],
    [
      [
        { ...small, value: 'A' },
        { ...medium, value: 'a' },
      ],
      400,
      { errors: [{ pointer: '/values/1/value' }] },
    ],
    [[small, { ...small, value: 'B' }, medium], 400, { errors: [{ pointer: '/values' }] }],
    [[small, medium, { ...product.options[1].values[0] }], 400, { errors: [{ pointer: '/values/2/id' }] }],
  ];
  for (const [values, status, body] of cases) {
    t.match(await box.staff.patch(path, { values }), { status, body }, JSON.stringify(values));
  }
  t.strictSame(valuesOf((await box.staff.get(product.path)).body), ['M', 'XS'], 'rejected requests changed nothing');
  const foreign = await box.staff.patch(`${product.path}/options/${small.id}`, { name: 'X' });
  t.match(foreign, { status: 404 });
});

t.test('an option is removed unless variants differ only by it', async (t) => {
  const product = await createShirt([size, { name: 'Colour', values: ['Red'] }]);
  const [sizes, colours] = product.options;
  const clash = await box.staff.delete(`${product.path}/options/${sizes.id}`);
  t.match(clash, { status: 409, body: { code: 'variant_choice_taken', detail: /Size/ } });
  t.match(await box.staff.delete(`${product.path}/options/${colours.id}`), { status: 204 });
  const left = (await box.staff.get(product.path)).body;
  t.strictSame(titles(left), ['S', 'M']);
  t.equal(left.options.length, 1);
  t.match(await box.staff.delete(`${product.path}/options/${colours.id}`), { status: 404 });

  await box.staff.delete(`/admin/variants/${left.variants[0].id}`);
  t.match(await box.staff.delete(`${product.path}/options/${sizes.id}`), { status: 204 });
  t.match((await box.staff.get(product.path)).body, {
    options: exactly([]),
    variants: exactly([{ title: 'Default', options: [] }]),
  });
  t.equal((await box.db.table('product_option_values').where('optionId', sizes.id)).length, 0);
});

t.test('options and variants added concurrently leave no variant without a value', async (t) => {
  const product = await createShirt(
    [{ name: 'Size', values: ['S', 'M', 'L', 'XL'] }],
    [{ options: [{ name: 'Size', value: 'S' }] }],
  );
  await Promise.all([
    box.staff.post(`${product.path}/options`, { name: 'Colour', values: ['Red'] }),
    ...['M', 'L', 'XL'].map((value) =>
      box.staff.post(`${product.path}/variants`, { options: [{ name: 'Size', value }] }),
    ),
    ...['Fit', 'Cut'].map((name) => box.staff.post(`${product.path}/options`, { name, values: ['1'] })),
  ]);
  const { options, variants } = (await box.staff.get(product.path)).body;
  t.equal(options.length, 4);
  for (const variant of variants) t.equal(variant.options.length, 4, variant.title);
});

t.test('spaces around names and values are removed, and stored ones do not count', async (t) => {
  const product = await createShirt([{ name: ' Size ', values: ['S ', '\u00a0M'] }]);
  t.match(product.options, exactly([{ name: 'Size' }]));
  t.strictSame(valuesOf(product), ['S', 'M']);
  t.strictSame(titles(product), ['S', 'M']);
  const blank = await box.staff.post(`${product.path}/options`, { name: ' ', values: ['1'] });
  t.match(blank, { status: 400, body: { errors: exactly([{ pointer: '/name' }]) } });
  const twice = await box.staff.post(`${product.path}/options`, { name: 'Fit', values: ['Slim', ' slim'] });
  t.match(twice, { status: 400, body: { errors: exactly([{ pointer: '/values/1' }]) } });

  // An earlier release stored them.
  const [{ id, values }] = product.options;
  await box.db.query("update product_options set name = 'Size ' where tenant_id = $1 and id = $2", [id]);
  await box.db.query("update product_option_values set value = ' M' where tenant_id = $1 and id = $2", [values[1].id]);
  const added = await box.staff.post(`${product.path}/options`, { name: 'size', values: ['1'] });
  t.match(added, { status: 409, body: { code: 'product_option_taken' } });
  const [, medium] = product.variants;
  t.equal((await box.staff.delete(`/admin/variants/${medium.id}`)).status, 204);
  const variant = { options: [{ name: ' SIZE', value: 'm ' }] };
  t.match(await box.staff.post(`${product.path}/variants`, variant), { status: 201 });
  const path = `${product.path}/options/${id}`;
  t.match(await box.staff.patch(path, { name: 'Size', values: [values[0], { id: values[1].id, value: 'M' }] }), {
    status: 200,
    body: { options: exactly([{ name: 'Size', values: exactly([{ value: 'S' }, { value: 'M' }]) }]) },
  });
});

t.test('names and values are compared without the spaces around them', async (t) => {
  const create = (options: object[]) => box.staff.post('/admin/products', { title: 'Shirt', options });
  const faults: [options: object[], pointer: string][] = [
    [[{ name: 'Size', values: ['S', ' S'] }], '/options/0/values/1'],
    [[{ name: 'Size', values: ['S', 's\n'] }], '/options/0/values/1'],
    [[{ name: 'Size', values: ['S', ' '] }], '/options/0/values/1'],
    [[size, { name: ' size ', values: ['S'] }], '/options/1/name'],
    [[{ name: '\t', values: ['S'] }], '/options/0/name'],
  ];
  for (const [options, pointer] of faults) {
    t.match(await create(options), { status: 400, body: { errors: exactly([{ pointer }]) } }, JSON.stringify(options));
  }
  const product = await createShirt([{ name: ' Size ', values: [' S', 'M '] }]);
  t.match(product.options, exactly([{ name: 'Size' }]));
  t.strictSame(valuesOf(product), ['S', 'M']);
  t.strictSame(titles(product), ['S', 'M']);
  const path = `${product.path}/options/${product.options[0].id}`;
  t.match(await box.staff.patch(path, { name: ' Fit ' }), {
    status: 200,
    body: { options: exactly([{ name: 'Fit' }]) },
  });
});

t.test('values that differ only by case, width or what is not shown are the same', async (t) => {
  const create = (values: string[]) =>
    box.staff.post('/admin/products', { title: 'Shirt', options: [{ name: 'Size', values }] });
  for (const values of [
    ['XL', 'ＸＬ'],
    ['XL', 'x\u200bl'],
    ['S\tM', 's m'],
    ['Straße', 'STRASSE'],
  ])
    t.match(
      await create(values),
      { status: 400, body: { errors: exactly([{ pointer: '/options/0/values/1' }]) } },
      JSON.stringify(values),
    );
  const product = await createShirt([{ name: 'Size', values: ['S', 'XL', 'X\tS\u202e'] }]);
  t.strictSame(valuesOf(product), ['S', 'XL', 'X S']);
  const [{ id, values }] = product.options;
  t.match(await box.staff.post(`${product.path}/options`, { name: 'ｓｉｚｅ', values: ['1'] }), { status: 409 });
  // An earlier release stored both.
  await box.db.query("update product_option_values set value = 'ｘｌ' where tenant_id = $1 and id = $2", [
    values[0].id,
  ]);
  const path = `${product.path}/options/${id}`;
  const stored = [values[1], { id: values[0].id, value: 'ｘｌ' }, values[2]];
  const reordered = await box.staff.patch(path, { values: stored });
  t.equal(reordered.status, 200, 'stored values stay');
  t.strictSame(valuesOf(reordered.body), ['XL', 'ｘｌ', 'X S']);
  const [, , last] = stored;
  for (const added of [
    [...stored, { value: 'xL' }],
    [{ value: 'xL' }, ...stored],
    [...stored.slice(0, 2), { ...last, value: 'XL' }],
  ])
    t.match(await box.staff.patch(path, { values: added }), { status: 400 }, JSON.stringify(added));
  await box.staff.delete(`/admin/variants/${product.variants[0].id}`);
  const again = await box.staff.post(`${product.path}/variants`, { options: [{ name: 'Size', value: 'ｘｌ' }] });
  t.match(again.body.options, exactly([{ name: 'Size', value: 'ｘｌ' }]), 'the value that is written so');
});

t.test('names of products and SKUs have one line', async (t) => {
  const { body } = await box.staff.post('/admin/products', {
    title: 'Linen\tshirt\u202e',
    brand: 'Al\u200bder',
    variants: [{ sku: 'LINEN\tM' }],
  });
  t.match(body, { title: 'Linen shirt', brand: 'Alder', variants: exactly([{ sku: 'LINEN M' }]) });
  const taken = await box.staff.post('/admin/products', { title: 'Other', variants: [{ sku: 'linen\n\u200bm' }] });
  t.match(taken, { status: 409, body: { code: 'sku_taken' } });
});

/**
 * Media of products and their variants.
 */
import { createTestBox, eventsOf, exactly, raceRounds, statementsOf } from '@carton/runtime/testing';
import sharp from 'sharp';
import t from 'tap';
import { publishProduct } from './helpers.ts';

const packages = ['auth', 'tenant', 'product'].map((name) => `@carton/${name}`);
const box = await createTestBox(t, { packages, tier: 'basic' });
const { staff } = box;
const unknownId = '0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001';

async function upload(altText: string, { headers } = staff): Promise<string> {
  const channels = 3 as const;
  const picture = sharp({ create: { width: 200, height: 100, channels, background: { r: 90, g: 120, b: 60 } } });
  const form = new FormData();
  form.append('altText', altText);
  form.append('file', new Blob([new Uint8Array(await picture.png().toBuffer())]), 'picture.png');
  const response = await fetch(`${box.url}/admin/media`, { method: 'POST', headers, body: form });
  return ((await response.json()) as { id: string }).id;
}

interface Created {
  id: string;
  handle: string;
  variants: { id: string }[];
}

const createProduct = (more: object = {}, by = staff): Promise<Created> =>
  publishProduct({ staff: by }, { title: 'Shirt', ...more });

const sized = { options: [{ name: 'Size', values: ['S', 'M'] }] };
const setMedia = ({ id }: Pick<Created, 'id'>, media: object[], by = staff) =>
  by.put(`/admin/products/${id}/media`, { media });
const idsOf = (product: { media: { id: string }[] }) => product.media.map(({ id }) => id);

t.test('media are shown in their order, with texts and variants', async (t) => {
  const product = await createProduct(sized);
  const [front, back] = [await upload('The front'), await upload('The back')];
  const [small] = product.variants;
  const set = await setMedia(product, [
    { mediaAssetId: back, altText: 'Seen from behind', variantIds: [small?.id] },
    { mediaAssetId: front.toUpperCase() },
  ]);
  t.equal(set.status, 200);
  const expected = exactly([
    {
      id: back,
      altText: 'Seen from behind',
      variantIds: exactly([small?.id]),
      kind: 'picture',
      width: 200,
      height: 100,
    },
    { id: front, altText: 'The front', variantIds: exactly([]), url: `/media/${front}/original.png` },
  ]);
  t.match(set.body.media, expected);
  for (const path of [`/products/${product.handle}`, `/products/${product.id}`]) {
    t.match((await box.visitor().get(path)).body.media, expected, path);
  }
  const list = await box.visitor().get(`/products?handle=${product.handle}`);
  t.match(list.body.items[0].media, expected);
  t.strictSame(
    list.body.items[0].media[0].variants.map(({ url }: { url: string }) => url),
    [`/media/${back}/160.webp`, `/media/${back}/160.avif`],
  );
  const chosen = await box.visitor().get(`/products?handle=${product.handle}&fields=handle,media`);
  t.match(chosen.body.items, exactly([{ handle: product.handle, media: expected }]));
  t.strictSame(Object.keys(chosen.body.items[0]), ['handle', 'media']);
  const others = await box.visitor().get(`/products?handle=${product.handle}&fields=handle`);
  t.strictSame(others.body.items, [{ handle: product.handle }]);

  t.strictSame(idsOf((await setMedia(product, [{ mediaAssetId: front }])).body), [front]);
  t.strictSame(idsOf((await setMedia(product, [])).body), []);
});

t.test('a change of the media changes the product', async (t) => {
  const product = await createProduct();
  const before = (await staff.get(`/admin/products/${product.id}`)).body.updatedAt;
  const after = (await setMedia(product, [{ mediaAssetId: await upload('') }])).body.updatedAt;
  t.ok(after > before, 'clients that follow changes see it');
  const events = await eventsOf(box, { resourceId: product.id, type: 'product.updated' });
  t.equal(events.length, 1);
});

t.test('unknown and duplicate media and variants are refused', async (t) => {
  const other = await box.openTenant();
  const foreign = await upload('', other.staff);
  const [product, another] = [await createProduct(sized), await createProduct()];
  const asset = await upload('');
  const own = product.variants[0]?.id as string;
  const cases: [media: object[], pointer: string][] = [
    [[{ mediaAssetId: unknownId }], '/media/0/mediaAssetId'],
    [[{ mediaAssetId: asset }, { mediaAssetId: foreign }], '/media/1/mediaAssetId'],
    [[{ mediaAssetId: asset }, { mediaAssetId: asset.toUpperCase() }], '/media/1/mediaAssetId'],
    [[{ mediaAssetId: asset, variantIds: [another.variants[0]?.id] }], '/media/0/variantIds/0'],
    [[{ mediaAssetId: asset, variantIds: [own, own.toUpperCase()] }], '/media/0/variantIds/1'],
  ];
  for (const [media, pointer] of cases) {
    t.match(await setMedia(product, media), { status: 400, body: { errors: exactly([{ pointer }]) } }, pointer);
  }
  t.strictSame(idsOf((await staff.get(`/admin/products/${product.id}`)).body), []);
  t.equal((await setMedia({ id: unknownId }, [])).status, 404);
  t.equal((await setMedia(product, [], other.staff)).status, 404);
});

t.test('an asset is not deleted while a product has it', async (t) => {
  const product = await createProduct(sized);
  const asset = await upload('');
  const [small, medium] = product.variants;
  await setMedia(product, [{ mediaAssetId: asset, variantIds: [small?.id, medium?.id] }]);
  const refused = await staff.delete(`/admin/media/${asset}`);
  t.match(refused, { status: 409, body: { code: 'media_in_use', detail: 'It is used by products.' } });

  const copy = (await staff.post(`/admin/products/${product.id}/duplicate`)).body;
  const copied = copy.variants.map(({ id }: { id: string }) => id);
  t.match(
    copy.media,
    exactly([{ id: asset, variantIds: exactly(copied) }]),
    'a copy has the media for its own variants',
  );
  await staff.delete(`/admin/variants/${medium?.id}`);
  const { body } = await staff.get(`/admin/products/${product.id}`);
  t.match(body.media, exactly([{ id: asset, variantIds: exactly([small?.id]) }]), 'a deleted variant is forgotten');

  await staff.delete(`/admin/products/${product.id}`);
  t.equal((await staff.delete(`/admin/media/${asset}`)).status, 409, 'the copy has it');
  await staff.delete(`/admin/products/${copy.id}`);
  t.equal((await staff.delete(`/admin/media/${asset}`)).status, 204);
});

t.test('of an attachment and a deletion of the asset at the same time, one succeeds', async (t) => {
  const product = await createProduct();
  const rounds = [];
  for (let round = 0; round < raceRounds; round++) {
    await setMedia(product, []);
    const asset = await upload('');
    const [attached, deleted] = await Promise.all([
      setMedia(product, [{ mediaAssetId: asset }]),
      staff.delete(`/admin/media/${asset}`),
    ]);
    const shown = idsOf((await staff.get(`/admin/products/${product.id}`)).body);
    const found = (await staff.get(`/admin/media/${asset}`)).status;
    rounds.push([attached.status, deleted.status, shown.length, found].join(' '));
  }
  t.strictSame(
    rounds.filter((round) => round !== '200 409 1 200' && round !== '400 204 0 404'),
    [],
  );
});

t.test('of media that are set at the same time, one list remains', async (t) => {
  const product = await createProduct();
  const [front, back] = [await upload(''), await upload('')];
  const lists = [
    [front, back],
    [back, front],
  ];
  for (let round = 0; round < raceRounds; round++) {
    await setMedia(product, []);
    const set = await Promise.all(
      lists.map((list) =>
        setMedia(
          product,
          list.map((mediaAssetId) => ({ mediaAssetId })),
        ),
      ),
    );
    t.strictSame(
      set.map(({ status }) => status),
      [200, 200],
    );
    const shown = idsOf((await staff.get(`/admin/products/${product.id}`)).body);
    t.ok(
      lists.some((list) => list.join() === shown.join()),
      shown.join(),
    );
  }
});

t.test('the media of a page are read in one statement, and in none without media', async (t) => {
  const tenant = await box.openTenant();
  const countReads = async (path: string, by: { get: typeof staff.get }) => {
    const statements = await statementsOf(box.db, async () => t.equal((await by.get(path)).status, 200));
    return statements.filter((text) => text.includes('from media_assets')).length;
  };
  const paths: [path: string, by: { get: typeof staff.get }][] = [
    ['/products', tenant.visitor()],
    ['/admin/products', tenant.staff],
  ];
  const products = [];
  for (let turn = 0; turn < 3; turn++) products.push(await createProduct({ title: `Shirt ${turn}` }, tenant.staff));
  for (const [path, by] of paths) t.equal(await countReads(path, by), 0, path);
  for (const product of products) {
    const media = [await upload('', tenant.staff), await upload('', tenant.staff)];
    await setMedia(
      product,
      media.map((mediaAssetId) => ({ mediaAssetId })),
      tenant.staff,
    );
  }
  for (const [path, by] of paths) t.equal(await countReads(path, by), 1, path);
});

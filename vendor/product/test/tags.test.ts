/**
 * Tags of products, and the filter of `GET /products` by them.
 */
import { createTestBox, exactly, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';
import { fillWords } from '../search/job.ts';

const packages = ['@carton/auth', '@carton/tenant', '@carton/product'];
const box = await createTestBox(t, { packages, tier: 'basic' });

const create = async (handle: string, tags: string[], { staff }: Pick<TestTenant, 'staff'> = box) => {
  const { body } = await staff.post('/admin/products', {
    title: handle,
    handle,
    status: 'published',
    brand: 'Alder',
    tags,
  });
  return body;
};

async function handlesOf(query: string, { visitor }: Pick<TestTenant, 'visitor'> = box): Promise<string[]> {
  const { body } = await visitor().get(`/products?${query}`);
  return body.items.map(({ handle }: { handle: string }) => handle);
}

t.test('tags are stored as written, once, and shown', async (t) => {
  const { id, tags } = await create('hat', [' Summer ', 'summer', 'Straw']);
  t.strictSame(tags, ['Summer', 'Straw']);
  t.match((await box.visitor().get('/products/hat')).body, { tags: exactly(['Summer', 'Straw']) });
  t.match((await box.staff.patch(`/admin/products/${id}`, { title: 'Hat' })).body, {
    tags: exactly(['Summer', 'Straw']),
  });
  const copy = await box.staff.post(`/admin/products/${id}/duplicate`, {});
  t.match(copy.body, { tags: exactly(['Summer', 'Straw']) });
  for (const refused of [[' '], [''], ['x'.repeat(51)], Array.from({ length: 51 }, (_, at) => `tag ${at}`)]) {
    t.equal((await box.staff.patch(`/admin/products/${id}`, { tags: refused })).status, 400);
  }
});

t.test('a tag finds published products, in every order and beside other filters', async (t) => {
  const tenant = await box.openTenant();
  const other = await box.openTenant();
  await create('theirs', ['summer'], other);
  const dress = await create('dress', ['Summer', 'new'], tenant);
  await create('apron', ['summer'], tenant);
  await create('coat', ['winter'], tenant);
  const draft = await create('draft', ['summer'], tenant);
  await tenant.staff.patch(`/admin/products/${draft.id}`, { status: 'draft' });

  const find = (query: string) => handlesOf(query, tenant);
  t.strictSame(await find('tag=summer'), ['apron', 'dress'], 'newest first');
  t.strictSame(await find('tag=%20SUMMER'), ['apron', 'dress']);
  t.strictSame(await find('tag=summer&sort=oldest'), ['dress', 'apron']);
  t.strictSame(await find('tag=summer&sort=title'), ['apron', 'dress']);
  t.strictSame(await find('tag=summer&q=dre'), ['dress']);
  t.strictSame(await find('tag=summer&brand=Alder&handle=apron'), ['apron']);
  t.strictSame(await find('tag=nothing'), []);
  const first = (await tenant.visitor().get('/products?tag=summer&limit=1')).body;
  t.strictSame(await find(`tag=summer&limit=1&cursor=${first.nextCursor}`), ['dress']);

  await tenant.staff.patch(`/admin/products/${dress.id}`, { tags: ['new'] });
  t.strictSame([await find('tag=summer'), await find('tag=new')], [['apron'], ['dress']]);
  await tenant.staff.delete(`/admin/products/${dress.id}`);
  t.strictSame(await find('tag=new'), []);
  const left = await tenant.db.query('select 1 from product_tags where tenant_id = $1 and product_id = $2', [dress.id]);
  t.equal(left.length, 0);
});

t.test('staff find products of every status by tag, beside other filters and on later pages', async (t) => {
  const tenant = await box.openTenant();
  const other = await box.openTenant();
  await create('theirs', ['summer'], other);
  const dress = await create('dress', ['Summer'], tenant);
  await create('apron', ['summer', 'new'], tenant);
  await create('coat', ['winter'], tenant);
  const draft = await create('draft', ['summer'], tenant);
  await tenant.staff.patch(`/admin/products/${draft.id}`, { status: 'draft', brand: 'Birch', externalId: 'd-1' });
  const find = async (query: string) => {
    const { body } = await tenant.staff.get(`/admin/products?${query}`);
    return body.items.map(({ handle }: { handle: string }) => handle);
  };
  t.strictSame(await find('tag=SUMMER'), ['draft', 'apron', 'dress'], 'newest first');
  t.strictSame(await find('tag=summer&status=published'), ['apron', 'dress']);
  t.strictSame(await find('tag=summer&status=archived'), []);
  t.strictSame(await find('tag=summer&brand=Birch&status=draft'), ['draft']);
  t.strictSame(await find('tag=summer&brand=Birch&status=published'), []);
  t.strictSame(await find('tag=summer&q=dr'), ['draft', 'dress']);
  t.strictSame(await find('tag=winter&q=dr'), []);
  t.strictSame([await find('tag=summer&handle=dress'), await find('tag=summer&handle=coat')], [['dress'], []]);
  t.strictSame([await find('tag=summer&externalId=d-1'), await find('tag=new&externalId=d-1')], [['draft'], []]);
  t.strictSame(await find('tag=nothing'), []);
  const pages = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await tenant.staff.get(`/admin/products?tag=summer&limit=1${cursor && `&cursor=${cursor}`}`);
    pages.push(body.items.map(({ handle }: { handle: string }) => handle));
    cursor = body.nextCursor;
  }
  t.strictSame(pages, [['draft'], ['apron'], ['dress']]);
  t.match(await tenant.staff.get('/admin/products?tag=summer&updatedAfter=2026-01-01T00:00:00.000Z'), { status: 400 });
  await tenant.staff.delete(`/admin/products/${dress.id}`);
  t.strictSame(await find('tag=summer'), ['draft', 'apron']);
});

t.test('tags and brands are compared by one fold, however they were typed', async (t) => {
  const tenant = await box.openTenant();
  const { staff, db } = tenant;
  const first = await create(
    'first',
    ['e\u0301te\u0301', 'İSTANBUL', 'istanbul', 'Größe', 'GRÖSSE', 'ＷＩＤＥ', 'wide'],
    tenant,
  );
  t.strictSame(first.tags, ['été', 'İSTANBUL', 'Größe', 'ＷＩＤＥ']);
  const find = (name: string, value: string) => handlesOf(`${name}=${encodeURIComponent(value)}`, tenant);
  for (const tag of ['été', 'E\u0301TÉ', 'Istanbul', 'grösse', 'GRÖẞE', 'Wide'])
    t.strictSame(await find('tag', tag), ['first'], tag);
  const changed = await staff.patch(`/admin/products/${first.id}`, { brand: ' Ame\u0301lie ', type: 'Re\u0301tro' });
  t.match(changed.body, { brand: 'Amélie', type: 'Rétro' });
  for (const brand of ['Amélie', 'Ame\u0301lie']) t.strictSame(await find('brand', brand), ['first'], brand);
  t.match(await staff.patch(`/admin/products/${first.id}`, { brand: '  ' }), { status: 200, body: { brand: null } });

  // As earlier releases have written it.
  const { id } = await create('old', [], tenant);
  await db.query('update products set tags = $3, brand = $4, updated_at = now() where tenant_id = $1 and id = $2', [
    id,
    ['Noe\u0308l', 'Fuß'],
    'Zoe\u0308',
  ]);
  await db.query(
    `insert into product_tags (tenant_id, product_id, tag_key, product_created_at)
     select tenant_id, id, unnest(array['noe\u0308l', 'fuß']), created_at from products where tenant_id = $1 and id = $2`,
    [id],
  );
  t.strictSame(await find('tag', 'Noël'), ['old'], 'also before the job');
  await fillWords(db);
  for (const tag of ['NOËL', 'FUSS']) t.strictSame(await find('tag', tag), ['old'], tag);
  t.strictSame(await find('brand', 'Zoë'), ['old']);
});

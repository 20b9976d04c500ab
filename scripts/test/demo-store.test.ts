/**
 * The demo store is filled once, over the box's own API; later starts keep what its owner changes.
 */
import { createTestBox, packagesOfTier } from '@carton/runtime/testing';
import t from 'tap';
import { createDemoStore, demoSlug } from '../stack/demo-store.ts';
import type { StackSecrets } from '../stack/settings.ts';

const packages = packagesOfTier('enterprise');
const box = await createTestBox(t);
const email = 'owner@demo.example';
const secrets: StackSecrets = {
  adminSecret: '',
  registrySecret: '',
  publishSecret: '',
  hostingSecret: box.secrets.hosting,
  operatorSecret: box.secrets.operator,
  staff: { email, password: 'correct horse battery' },
  licenseKeys: {},
};
/** The content of the file. */
let saved: StackSecrets = structuredClone(secrets);
const save = async (changed: StackSecrets) => {
  saved = structuredClone(changed);
};
const fill = (current: StackSecrets) => createDemoStore(box.url, current, packages, save);
const tenantHeaders = { 'x-tenant-slug': demoSlug, 'x-hosting-secret': box.secrets.hosting };

async function staff() {
  const login = await box.operator.post('/admin/auth/login', secrets.staff, {
    headers: { ...tenantHeaders, authorization: '' },
  });
  return { headers: { ...tenantHeaders, authorization: `Bearer ${login.body.token}` } };
}

const handles = async () => {
  const { items } = (await box.hosting.get('/products?limit=100', { headers: tenantHeaders })).body;
  return items.map(({ handle }: { handle: string }) => handle).sort();
};
const all = ['canvas-tote', 'enamel-mug', 'linen-shirt', 'notebook', 'oak-cutting-board', 'wool-scarf'];

t.test('the next start resumes an interrupted one', async (t) => {
  const interrupted = async (changed: StackSecrets) => {
    await save(changed);
    throw new Error('power failure');
  };
  await t.rejects(createDemoStore(box.url, structuredClone(saved), packages, interrupted), /power failure/);
  t.match(saved.demoInvite, /^inv_/);
  t.equal(saved.demoFilled, undefined);
  await fill(structuredClone(saved));
  t.type(saved.demoFilled, 'string');
  t.strictSame(await handles(), all);
});

t.test('a guest buys in three calls', async (t) => {
  const headers = { ...tenantHeaders, 'x-session-id': '' };
  const { items } = (await box.hosting.get('/products', { headers: tenantHeaders })).body;
  const item = { variantId: items[0].variants[0].id, quantity: 1 };
  const added = await box.hosting.post('/cart/items', item, { headers: tenantHeaders });
  t.equal(added.status, 201);
  headers['x-session-id'] = added.headers.get('x-session-id') as string;
  const placed = await box.hosting.post('/checkout', { customer: { email: 'ada@example.com' } }, { headers });
  t.match(placed, { status: 201, body: { status: 'placed' } });
});

t.test('products that the owner archived stay archived', async (t) => {
  const options = await staff();
  const { items } = (await box.operator.get('/admin/products?limit=100', options)).body;
  const idOf = (handle: string) => items.find((item: { handle: string }) => item.handle === handle).id;
  t.match(await box.operator.patch(`/admin/products/${idOf('notebook')}`, { status: 'archived' }, options), {
    status: 200,
  });
  await fill(structuredClone(saved));
  t.strictSame(
    await handles(),
    all.filter((handle) => handle !== 'notebook'),
  );
});

t.test('a store of an older release, not marked as filled, with an archived product', async (t) => {
  const { demoFilled, ...older } = structuredClone(saved);
  await fill(older);
  t.equal(saved.demoFilled, demoFilled);
  t.notOk((await handles()).includes('notebook'));
});

t.test('it is reached by the name of this machine beside other tenants', async (t) => {
  const { port } = new URL(box.url);
  const { body } = await box.hosting.get(`/tenants/lookup?host=127.0.0.1:${port}`);
  t.strictSame(body, { tenantSlug: demoSlug });
  t.match(await box.shopper().get('/products'), { status: 200 });
});

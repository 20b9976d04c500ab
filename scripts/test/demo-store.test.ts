/**
 * The demo shop: filled once, over the box's own API; what its owner does with it afterwards stays.
 */
import { createTestBox, packagesOfTier } from '@carton/runtime/testing';
import t from 'tap';
import { demoSlug, makeDemoStore } from '../stack/demo-store.ts';
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
/** As it stands in the file. */
let kept: StackSecrets = structuredClone(secrets);
const keep = async (given: StackSecrets) => {
  kept = structuredClone(given);
};
const make = (given: StackSecrets) => makeDemoStore(box.url, given, packages, keep);
const reach = { 'x-tenant-slug': demoSlug, 'x-hosting-secret': box.secrets.hosting };

async function staff() {
  const login = await box.operator.post('/admin/auth/login', secrets.staff, {
    headers: { ...reach, authorization: '' },
  });
  return { headers: { ...reach, authorization: `Bearer ${login.body.token}` } };
}

const handles = async () => {
  const { items } = (await box.hosting.get('/products?limit=100', { headers: reach })).body;
  return items.map(({ handle }: { handle: string }) => handle).sort();
};
const all = ['canvas-tote', 'enamel-mug', 'linen-shirt', 'notebook', 'oak-cutting-board', 'wool-scarf'];

t.test('a start that is interrupted is taken up by the next one', async (t) => {
  const broken = async (given: StackSecrets) => {
    await keep(given);
    throw new Error('the power is gone');
  };
  await t.rejects(makeDemoStore(box.url, structuredClone(kept), packages, broken), /the power is gone/);
  t.match(kept.demoInvite, /^inv_/);
  t.equal(kept.demoFilled, undefined);
  await make(structuredClone(kept));
  t.type(kept.demoFilled, 'string');
  t.strictSame(await handles(), all);
});

t.test('what its owner archives and removes stays so', async (t) => {
  const options = await staff();
  const { items } = (await box.operator.get('/admin/products?limit=100', options)).body;
  const idOf = (handle: string) => items.find((item: { handle: string }) => item.handle === handle).id;
  t.match(await box.operator.patch(`/admin/products/${idOf('notebook')}`, { status: 'archived' }, options), {
    status: 200,
  });
  await make(structuredClone(kept));
  t.strictSame(
    await handles(),
    all.filter((handle) => handle !== 'notebook'),
  );
});

t.test('a shop of an older release, which was not marked as filled, with a product archived', async (t) => {
  const { demoFilled, ...older } = structuredClone(kept);
  await make(older);
  t.equal(kept.demoFilled, demoFilled);
  t.notOk((await handles()).includes('notebook'));
});

t.test('it is reached by the name of this machine beside other shops', async (t) => {
  const { port } = new URL(box.url);
  const { body } = await box.hosting.get(`/tenants/lookup?host=127.0.0.1:${port}`);
  t.strictSame(body, { tenantSlug: demoSlug });
  t.match(await box.shopper().get('/products'), { status: 200 });
});

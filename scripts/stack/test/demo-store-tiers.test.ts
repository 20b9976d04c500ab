/**
 * The demo store of a box with few packages has what these can hold.
 */
import { createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { createDemoStore, demoSlug } from '../demo-store/index.ts';
import type { StackSecrets } from '../settings.ts';

const nameOf = (name: string) => `@carton/${name}`;

for (const [label, own, products] of [
  ['products, without categories and a website', ['product', 'pricing', 'inventory', 'region', 'cart'], 6],
  ['products alone', ['product'], 6],
  ['neither products nor media', [], 0],
] as const) {
  t.test(`${label}`, async (t) => {
    const box = await createTestBox(t, { packages: ['core', 'auth', 'tenant', ...own].map(nameOf), tier: 'basic' });
    const packages = box.box.packages.map(({ fullName }) => fullName);
    for (const missing of ['category', 'website']) t.notOk(packages.includes(nameOf(missing)), missing);
    let secrets: StackSecrets = {
      adminSecret: '',
      registrySecret: '',
      publishSecret: '',
      hostingSecret: box.secrets.hosting,
      operatorSecret: box.secrets.operator,
      staff: { email: 'owner@demo.example', password: 'correct horse battery' },
      licenseKeys: {},
    };
    const save = async (changed: StackSecrets) => {
      secrets = structuredClone(changed);
    };
    await createDemoStore(box.url, structuredClone(secrets), packages, save);
    t.type(secrets.demoFilled, 'string');
    const headers = { 'x-tenant-slug': demoSlug };
    const get = (path: string) => box.hosting.get(path, { headers });
    t.match(await get('/store'), { status: 200, body: { legalName: 'Demo Store GmbH' } });
    if (products === 0) return t.equal((await get('/products')).status, 404);
    t.equal((await get('/products?limit=100')).body.items.length, products);
  });
}

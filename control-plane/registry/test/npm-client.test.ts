// npm's own client with the gated registry: entitled packages are installed, others are rejected with their tier.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { makePackage, npm, openRegistry, publish, waitUntil } from '../testing/index.ts';

const { controlPlane, registry, tokenOf } = await openRegistry(t);
await publish(
  t,
  registry,
  { name: '@carton/core', version: '1.0.0', carton: { tier: 'basic' } },
  { name: '@carton/cart', version: '1.2.0', carton: { tier: 'basic' }, dependencies: { '@carton/core': '1.0.0' } },
  { name: '@carton/collection', version: '2.0.0', carton: { tier: 'growth' } },
  { name: '@carton/runtime', version: '0.1.0', carton: { platform: true } },
);
const token = await tokenOf({ packages: ['@carton/core', '@carton/cart'] });
const project = () => makePackage(t, { name: 'project', version: '1.0.0' });

/** Waits for a number of reports and removes them. Returns them in the order of their packages' names. */
async function takeReports(count: number) {
  await waitUntil(() => controlPlane.state.received.length >= count);
  const reports = controlPlane.state.received.splice(0).map(({ report }) => report);
  return reports.sort((one, other) => one.packageName.localeCompare(other.packageName));
}

t.test('installs an entitled package with its dependencies, and reports each tarball once', async (t) => {
  const folder = await project();
  const { code, output } = await npm(registry, folder, token, 'install', '@carton/cart');
  t.equal(code, 0, output);
  t.match(await readFile(join(folder, 'node_modules/@carton/core/package.json'), 'utf8'), '@carton/core');
  const report = { customerId: 'customer-1', tier: 'basic', outcome: 'allowed' };
  t.strictSame(await takeReports(2), [
    { ...report, packageName: '@carton/cart', version: '1.2.0' },
    { ...report, packageName: '@carton/core', version: '1.0.0' },
  ]);
});

t.test('rejects another package, naming its tier, and reports the denied download', async (t) => {
  const { code, output } = await npm(registry, await project(), token, 'install', '@carton/collection');
  t.equal(code, 1);
  t.match(output, '@carton/collection is in the growth tier; this licence is basic');
  const report = { customerId: 'customer-1', tier: 'basic', outcome: 'denied' };
  t.strictSame(await takeReports(1), [{ ...report, packageName: '@carton/collection', version: '2.0.0' }]);
});

t.test('installs platform packages, which every licence includes', async (t) => {
  const { code, output } = await npm(registry, await project(), token, 'install', '@carton/runtime');
  t.equal(code, 0, output);
  const report = { customerId: 'customer-1', tier: 'basic', outcome: 'allowed' };
  t.strictSame(await takeReports(1), [{ ...report, packageName: '@carton/runtime', version: '0.1.0' }]);
});

t.test('npm shows that an expired token needs a new activation', async (t) => {
  const expired = await tokenOf({ exp: Math.floor(Date.now() / 1000) - 60 });
  const { code, output } = await npm(registry, await project(), expired, 'install', '@carton/cart');
  t.equal(code, 1);
  t.match(output, 'The activation token has expired: activate again');
});

t.test('only the publisher can publish', async (t) => {
  const folder = await makePackage(t, { name: '@carton/extra', version: '1.0.0' });
  const wrongSecret = await npm(registry, folder, 'a-wrong-secret', 'publish');
  t.equal(wrongSecret.code, 1);
  t.match(wrongSecret.output, 'The secret of the publisher is wrong');
  const customer = await npm(registry, folder, token, 'publish');
  t.equal(customer.code, 1);
  t.match(customer.output, 'Only the publisher may do this');
  const unpublish = await npm(registry, folder, token, 'unpublish', '--force', '@carton/cart@1.2.0');
  t.equal(unpublish.code, 1);
  const distTag = await npm(registry, folder, token, 'dist-tag', 'add', '@carton/cart@1.2.0', 'old');
  t.equal(distTag.code, 1);
});

t.test('a search finds nothing and is not reported', async (t) => {
  const { code, output } = await npm(registry, await project(), token, 'search', 'cart');
  t.equal(code, 1);
  t.notMatch(output, '@carton/cart');
  t.notMatch(output, 'collection');
  t.strictSame(controlPlane.state.received, []);
});

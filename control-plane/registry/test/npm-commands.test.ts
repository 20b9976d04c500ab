// npm's commands against the gated registry behave as against the public one.

import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { makeFolder, npm, openRegistry, publish, publishSecret, send } from '../testing/index.ts';

const { registry, tokenOf } = await openRegistry(t);
await publish(
  t,
  registry,
  { name: '@carton/core', version: '1.0.0', carton: { tier: 'basic' } },
  { name: '@carton/core', version: '1.1.0', carton: { tier: 'basic' } },
  { name: '@carton/cart', version: '1.2.0', carton: { tier: 'basic' }, dependencies: { '@carton/core': '^1.0.0' } },
  { name: '@carton/collection', version: '2.0.0', carton: { tier: 'growth' } },
);
const token = await tokenOf({ packages: ['@carton/core', '@carton/cart'] });

/** Creates a folder with a package.json that has these dependencies. */
async function project(dependencies: Record<string, string>): Promise<string> {
  const folder = await makeFolder(t);
  const manifest = { name: 'project', version: '1.0.0', dependencies };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  return folder;
}

t.test('view shows entitled packages, and the tier of others', async (t) => {
  const folder = await makeFolder(t);
  const version = await npm(registry, folder, token, 'view', '@carton/core', 'version');
  t.strictSame(version, { code: 0, output: '1.1.0\n' });
  const versions = await npm(registry, folder, token, 'view', '@carton/core', 'versions', '--json');
  t.strictSame(JSON.parse(versions.output), ['1.0.0', '1.1.0']);
  const other = await npm(registry, folder, token, 'view', '@carton/collection');
  t.equal(other.code, 1);
  t.match(other.output, '@carton/collection is in the growth tier; this licence is basic');
  const nothing = await npm(registry, folder, token, 'view', '@carton/nothing');
  t.equal(nothing.code, 1);
  t.match(nothing.output, 'The package @carton/nothing does not exist in this registry');
});

t.test('install with its audit, then ci, outdated and audit in the same project', async (t) => {
  const folder = await project({ '@carton/cart': '1.2.0', '@carton/core': '1.0.0' });
  const install = await npm(registry, folder, token, 'install');
  t.equal(install.code, 0, install.output);
  t.match(install.output, 'found 0 vulnerabilities');
  const ci = await npm(registry, folder, token, 'ci');
  t.equal(ci.code, 0, ci.output);
  t.match(await readFile(join(folder, 'node_modules/@carton/core/package.json'), 'utf8'), '"version":"1.0.0"');
  const outdated = await npm(registry, folder, token, 'outdated', '--json');
  t.equal(outdated.code, 1);
  const { current, wanted, latest } = JSON.parse(outdated.output)['@carton/core'];
  t.strictSame([current, wanted, latest], ['1.0.0', '1.0.0', '1.1.0']);
  t.strictSame(await npm(registry, folder, token, 'audit'), { code: 0, output: 'found 0 vulnerabilities\n' });
});

t.test('dist-tag ls shows the tags of entitled packages, and the tier of others', async (t) => {
  const folder = await makeFolder(t);
  t.strictSame(await npm(registry, folder, token, 'dist-tag', 'ls', '@carton/core'), {
    code: 0,
    output: 'latest: 1.1.0\n',
  });
  const other = await npm(registry, folder, token, 'dist-tag', 'ls', '@carton/collection');
  t.equal(other.code, 1);
  t.match(other.output, '@carton/collection is in the growth tier; this licence is basic');
  for (const change of [
    ['add', '@carton/core@1.0.0', 'old'],
    ['rm', '@carton/core', 'latest'],
  ]) {
    const { code, output } = await npm(registry, folder, token, 'dist-tag', ...change);
    t.equal(code, 1, output);
  }
});

t.test('other reads of an entitled package work', async (t) => {
  const folder = await project({ '@carton/core': '1.0.0' });
  t.equal((await npm(registry, folder, token, 'install')).code, 0);
  const versions = ['--diff=@carton/core@1.0.0', '--diff=@carton/core@1.1.0'];
  for (const words of [
    ['owner', 'ls', '@carton/core'],
    ['diff', ...versions],
    ['fund'],
    ['ls'],
    ['explain', '@carton/core'],
  ]) {
    const { code, output } = await npm(registry, folder, token, ...words);
    t.equal(code, 0, `${words[0]}: ${output}`);
  }
});

t.test('pack downloads the tarball', async (t) => {
  const folder = await makeFolder(t);
  const pack = await npm(registry, folder, token, 'pack', '@carton/core@1.0.0');
  t.equal(pack.code, 0, pack.output);
  await access(join(folder, 'carton-core-1.0.0.tgz'));
});

t.test('whoami is the customer, or the publisher; ping needs no token', async (t) => {
  const folder = await makeFolder(t);
  t.strictSame(await npm(registry, folder, token, 'whoami'), { code: 0, output: 'customer-1\n' });
  t.strictSame(await npm(registry, folder, publishSecret, 'whoami'), { code: 0, output: 'publisher\n' });
  t.equal((await npm(registry, folder, 'wrong', 'whoami')).code, 1);
  t.equal((await npm(registry, folder, 'wrong', 'ping')).code, 0);
});

t.test('a search is refused with the reason', async (t) => {
  const { code, output } = await npm(registry, await makeFolder(t), token, 'search', 'cart');
  t.equal(code, 1);
  t.match(output, 'Only the publisher may do this: an activation token allows reading entitled packages');
});

t.test('audits have no findings, whatever is asked; they need a token, too', async (t) => {
  const options = { method: 'POST', body: '{"@carton/collection":["2.0.0"]}' };
  const bulk = await send(registry, '/-/npm/v1/security/advisories/bulk', token, options);
  t.strictSame([bulk.status, bulk.headers['content-type'], bulk.body], [200, 'application/json; charset=utf-8', '{}']);
  for (const path of ['/-/npm/v1/security/audits', '/-/npm/v1/security/audits/quick']) {
    const { status, body } = await send(registry, path, token, options);
    t.strictSame(
      [status, JSON.parse(body).advisories, JSON.parse(body).metadata.vulnerabilities.critical],
      [200, {}, 0],
    );
    for (const bearer of [undefined, 'wrong']) t.equal((await send(registry, path, bearer, options)).status, 401);
  }
});

t.test('a packument is abbreviated for installations, and 304 if it is the same', async (t) => {
  const install = { Accept: 'application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*' };
  const [abbreviated, full] = [
    await send(registry, '/@carton%2fcart', token, { headers: install }),
    await send(registry, '/@carton%2fcart', token),
  ];
  t.match(abbreviated.headers['content-type'], /^application\/vnd\.npm\.install-v1\+json/);
  t.match(full.headers['content-type'], /^application\/json/);
  const versionOf = ({ body }: { body: string }) => JSON.parse(body).versions['1.2.0'];
  t.strictSame(versionOf(abbreviated).dependencies, { '@carton/core': '^1.0.0' });
  t.equal(versionOf(abbreviated).license, undefined);
  t.equal(versionOf(full).license, 'UNLICENSED');
  t.equal(abbreviated.headers.vary, 'Accept, Authorization, Accept-Encoding');

  for (const { headers } of [abbreviated, full]) {
    const accept = headers === abbreviated.headers ? install : {};
    const again = { ...accept, 'If-None-Match': headers.etag ?? '' };
    const { status, body } = await send(registry, '/@carton%2fcart', token, { headers: again });
    t.strictSame([status, body], [304, '']);
  }
  t.not(abbreviated.headers.etag, full.headers.etag);
  const other = { headers: { 'If-None-Match': full.headers.etag ?? '' } };
  t.equal((await send(registry, '/@carton%2fcart', 'wrong', other)).status, 401, 'a tag is no credential');
});

// Publishing, changing and removing versions: none is lost or half there, whatever comes at the same time or is left by a
// crash.

import t, { type Test } from 'tap';
import { makeFolder, makePackage, npm, openRegistry, publishSecret, send } from '../testing/index.ts';
import { change, integrityOf, publicationOf, publishVersion, readPackument, versionsOf } from './publications.ts';
import { keysOf, kinds, makeStorage } from './storages.ts';

/** Each test is run with both. */
let kind: (typeof kinds)[number];

const folder = 'packages/@carton/cart/';

async function start(t: Test) {
  const made = await makeStorage(t, kind);
  const opened = await openRegistry(t, { ...(await made.options()) });
  const files = async () => (await keysOf(made, folder)).map((key) => key.slice(folder.length));
  const leave = (name: string, content: string) => made.storage.write(folder + name, Buffer.from(content), 'always');
  const read = async (name: string) => {
    const stored = await made.storage.read(folder + name);
    return typeof stored === 'object' ? stored.content.toString() : undefined;
  };
  return { ...opened, files, leave, read };
}

const cart = '@carton/cart';
const path = '/@carton%2fcart';

function test(name: string, check: (t: Test) => Promise<void>): void {
  for (const each of kinds) {
    t.test(`${each}: ${name}`, async (t) => {
      kind = each;
      await check(t);
    });
  }
}

test('versions that are published at the same time are all there', async (t) => {
  const { registry } = await start(t);
  const versions = Array.from({ length: 24 }, (_, at) => `1.0.${at + 10}`);
  const answers = await Promise.all(versions.map((version) => publishVersion(registry, cart, version, version)));
  t.strictSame(new Set(answers.map(({ status }) => status)), new Set([201]));
  t.strictSame(await versionsOf(registry, cart), { versions, wrong: [] });
  const packument = await readPackument(registry, cart);
  t.match(packument, { name: cart, _id: cart, readme: /^The readme of 1\.0\.\d+$/ });
  t.strictSame(Object.keys(packument.time).sort(), [...versions, 'created', 'modified']);
  const { latest } = packument['dist-tags'];
  t.equal(packument.readme, `The readme of ${latest}`);
});

test('a tarball that a crash has left does not stop its version from being published', async (t) => {
  for (const [name, left] of [
    ['the same content', 'the content'],
    ['other content', 'what the crash has left'],
    ['nothing', ''],
  ] as const) {
    const { registry, leave, read } = await start(t);
    await leave('cart-1.0.0.tgz', left);
    t.match(await publishVersion(registry, cart, '1.0.0', 'the content'), { status: 201 }, name);
    t.strictSame(await versionsOf(registry, cart), { versions: ['1.0.0'], wrong: [] }, name);
    t.equal(await read('cart-1.0.0.tgz'), left, 'it may belong to another request');
  }
});

test('a packument that a crash has left empty is as none', async (t) => {
  const { registry, leave, tokenOf } = await start(t);
  await leave('package.json', '');
  const token = await tokenOf();
  t.equal((await send(registry, path, token)).status, 404);
  t.match(await publishVersion(registry, cart, '1.0.0', 'the content'), { status: 201 });
  t.equal((await send(registry, path, token)).status, 200);
});

test('a version never changes, also if two requests publish it at the same time', async (t) => {
  const { registry, files } = await start(t);
  const contents = ['one', 'two', 'three', 'four'];
  const answers = await Promise.all(contents.map((content) => publishVersion(registry, cart, '1.0.0', content)));
  t.strictSame(answers.map(({ status }) => status).sort(), [201, 409, 409, 409]);
  const winner = contents[answers.findIndex(({ status }) => status === 201)] as string;
  t.match(answers.find(({ status }) => status === 409)?.body, {
    code: 'version_exists',
    error: '@carton/cart 1.0.0 is published already, and never changes',
  });
  t.strictSame(await versionsOf(registry, cart), { versions: ['1.0.0'], wrong: [] });
  const { versions } = await readPackument(registry, cart);
  t.equal(versions['1.0.0'].dist.integrity, integrityOf(winner));
  t.equal((await files()).length, 2, 'the other tarballs are gone');
  t.match(await publishVersion(registry, cart, '1.0.0', winner), { status: 409 });

  const again = await npm(registry, await makePackage(t, { name: cart, version: '1.0.0' }), publishSecret, 'publish');
  t.equal(again.code, 1);
  t.match(again.output, /cannot publish over/i);
});

test('a change of what has been changed since is refused, so that no version is lost', async (t) => {
  const { registry } = await start(t);
  await publishVersion(registry, cart, '1.0.0', 'one');
  const read = await readPackument(registry, cart);
  await publishVersion(registry, cart, '1.1.0', 'two');
  const refused = { status: 409, body: { code: 'package_changed' } };
  read.versions['1.0.0'].deprecated = 'Use 1.1.0';
  t.match(await change(registry, 'PUT', path, read), refused, 'npm deprecate');
  t.match(await change(registry, 'PUT', path, { ...read, _rev: undefined }), refused, 'without a revision');
  t.match(await change(registry, 'PUT', `${path}/-rev/${read._rev}`, { ...read, versions: {} }), refused, 'unpublish');
  t.match(await change(registry, 'DELETE', `${path}/-rev/${read._rev}`), refused, 'unpublish of all');
  t.strictSame(await versionsOf(registry, cart), { versions: ['1.0.0', '1.1.0'], wrong: [] });
});

t.test(
  'npm unpublishes a version and a package, and their tarballs are gone; both can be published again',
  async (t) => {
    const { registry, files, tokenOf } = await start(t);
    for (const version of ['1.0.0', '1.1.0']) await publishVersion(registry, cart, version, version);
    const project = await makeFolder(t);
    const one = await npm(registry, project, publishSecret, 'unpublish', '--force', '@carton/cart@1.1.0');
    t.equal(one.code, 0, one.output);
    t.strictSame((await readPackument(registry, cart))['dist-tags'], { latest: '1.0.0' });
    t.strictSame(await files(), ['cart-1.0.0.tgz', 'package.json']);
    t.match(await change(registry, 'DELETE', `${path}/-/cart-1.0.0.tgz/-rev/1-0`), {
      status: 409,
      body: { code: 'tarball_used' },
    });
    t.match(await publishVersion(registry, cart, '1.1.0', 'other content'), { status: 201 });

    const all = await npm(registry, project, publishSecret, 'unpublish', '--force', cart);
    t.equal(all.code, 0, all.output);
    t.equal(await readPackument(registry, cart), undefined);
    t.equal((await send(registry, path, await tokenOf())).status, 404);
    t.strictSame(await files(), ['package.json'], 'a version published at the same time would not be lost');
    t.match(await change(registry, 'DELETE', `${path}/-rev/1-0`), { status: 404 });
    t.match(await publishVersion(registry, cart, '1.0.0', 'other content'), { status: 201 });
    t.strictSame(await versionsOf(registry, cart), { versions: ['1.0.0'], wrong: [] });
  },
);

test('dist-tags are set, moved and removed, and name existing versions only', async (t) => {
  const { registry } = await start(t);
  for (const version of ['1.0.0', '1.1.0']) await publishVersion(registry, cart, version, version);
  const project = await makeFolder(t);
  const tag = (...words: string[]) => npm(registry, project, publishSecret, 'dist-tag', ...words);
  t.equal((await tag('add', '@carton/cart@1.0.0', 'lts')).code, 0);
  t.strictSame(await tag('ls', cart), { code: 0, output: 'latest: 1.1.0\nlts: 1.0.0\n' });
  t.equal((await tag('rm', cart, 'lts')).code, 0);
  t.strictSame((await readPackument(registry, cart))['dist-tags'], { latest: '1.1.0' });
  const tags = '/-/package/@carton%2fcart/dist-tags';
  t.match(await change(registry, 'POST', tags, { next: '1.1.0', lts: '1.0.0' }), { status: 201 });
  t.strictSame((await readPackument(registry, cart))['dist-tags'], { latest: '1.1.0', next: '1.1.0', lts: '1.0.0' });
  t.match(await change(registry, 'PUT', `${tags}/next`, '9.9.9'), { status: 404, body: { code: 'not_found' } });
  t.match(await change(registry, 'PUT', `${tags}/next`, 'latest'), { status: 400, body: { code: 'tag_invalid' } });
  t.match(await change(registry, 'PUT', `${tags}/__proto__`, '1.0.0'), { status: 400, body: { code: 'tag_invalid' } });
  t.match(await change(registry, 'PUT', '/-/package/@carton%2fnone/dist-tags/next', '1.0.0'), { status: 404 });
});

test('wrong requests change nothing and say why', async (t) => {
  const { registry, files, tokenOf } = await start(t);
  const sent = (changes: object) => publicationOf(cart, '1.0.0', 'the content', changes);
  const [version] = Object.values(sent({}).versions);
  const invalid = { status: 400, body: { code: 'publication_invalid' } };
  const cases: [name: string, body: unknown, expected: object][] = [
    ['another name', sent({ name: '@carton/core' }), invalid],
    ['two versions', sent({ versions: { '1.0.0': version, '1.1.0': version } }), invalid],
    ['another version', sent({ versions: { '1.1.0': version } }), invalid],
    ['no exact version', sent({ versions: { __proto__: null, latest: { ...version, version: 'latest' } } }), invalid],
    ['no tarball in it', sent({ _attachments: { '@carton/cart-1.0.0.tgz': { data: '' } } }), invalid],
    ['another tarball', sent({ _attachments: { '@carton/cart-1.0.0.tgz': { data: 'AAAA' } } }), invalid],
    ['a number', sent({ _attachments: { '@carton/cart-1.0.0.tgz': { data: 1 } } }), invalid],
    ['a wrong tag', sent({ 'dist-tags': { 'a tag': '1.0.0' } }), { status: 400, body: { code: 'tag_invalid' } }],
    ['a tag of no version', sent({ 'dist-tags': { next: '2.0.0' } }), { status: 404, body: { code: 'not_found' } }],
    ['stars', { _id: cart, users: { eve: true } }, { status: 400, body: { code: 'change_unsupported' } }],
    ['a list', [], { status: 400, body: { code: 'change_unsupported' } }],
    ['a packument of none', sent({ _attachments: {} }), { status: 404, body: { code: 'not_found' } }],
  ];
  for (const [name, body, expected] of cases) t.match(await change(registry, 'PUT', path, body), expected, name);
  const malformed = await change(registry, 'PUT', path, '{', 'application/json');
  t.match(malformed, { status: 400, body: { code: 'body_malformed' } });
  const other = await change(registry, 'PUT', path, 'content', 'application/octet-stream');
  t.match(other, { status: 415, body: { code: 'media_type_unsupported' } });
  t.match(await change(registry, 'PUT', `${path}/-/cart-1.0.0.tgz/x`, {}), { status: 404 });
  const large = { method: 'PUT', headers: { 'Content-Type': 'application/json', 'Content-Length': '300000000' } };
  t.match(await send(registry, path, publishSecret, large), { status: 413 });
  t.strictSame(await files(), []);

  const token = await tokenOf();
  for (const [method, target] of [
    ['DELETE', `${path}/-rev/1-0`],
    ['DELETE', '/-/package/@carton%2fcart/dist-tags/latest'],
    ['DELETE', `${path}/-/cart-1.0.0.tgz/-rev/1-0`],
  ] as const) {
    t.match(await send(registry, target, token, { method }), { status: 403 }, `${method} ${target} of a customer`);
    t.match(await send(registry, target, undefined, { method }), { status: 401 }, `${method} ${target} of anyone`);
  }
});

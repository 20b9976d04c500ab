/**
 * Releases: published when their packages fit together, never changed, and read by channel.
 */
import { exactly, pointersOf } from '@carton/runtime/testing';
import t from 'tap';
import type { ReleasedPackage } from '../releases/schemas.ts';
import { entry, firstRelease } from './release.ts';
import { named, startStand } from './stand.ts';

const stand = await startStand(t, {}, false);
const publish = (release: object) => stand.publisher.post('/releases', release);
const read = (channel = 'stable') => stand.visitor().get(`/releases/${channel}`);
const packagesOf = ({ body }: { body: { packages: ReleasedPackage[] } }) =>
  body.packages.map(({ name, version }) => `${name} ${version}`);
/** The first release with some entries in place of those of the same name. */
const releaseWith = (version: string, ...entries: ReleasedPackage[]) => ({
  ...firstRelease,
  version,
  packages: firstRelease.packages.map((each) => entries.find(({ name }) => name === each.name) ?? each),
});
const patched = entry('cart', 'product', 'basic', ['core', 'runtime'], { version: '1.0.1' });

t.test('before the first release nothing can be activated', async (t) => {
  const { key } = await stand.mint();
  const refused = await stand.visitor().post('/license/activate', { key });
  t.match(refused, { status: 503, body: { code: 'no_release' } });
  t.equal(refused.headers.get('retry-after'), '60');
  t.match(await read(), { status: 404, body: { code: 'not_found' } });
  t.strictSame((await stand.visitor().get('/catalogue')).body, { packages: [] });
});

t.test('a release that does not fit together is refused, and says where', async (t) => {
  const [runtime] = firstRelease.packages;
  const cases: [release: { packages: ReleasedPackage[] }, errors: [pointer: string, detail: RegExp][]][] = [
    [
      releaseWith('1.0.1', entry('core', 'product', 'basic', ['runtime'], { version: '2.0.0' })),
      [
        ['/packages/3/dependencies/0', /cart 1\.0\.0 needs @carton\/core \^1\.0\.0, and the release has 2\.0\.0/],
        ['/packages/4/dependencies/1', /collection 1\.0\.0 needs @carton\/core/],
        ['/packages/5/dependencies/0', /audit 1\.0\.0 needs @carton\/core/],
      ],
    ],
    [
      { ...firstRelease, packages: firstRelease.packages.filter(({ name }) => name !== named('cart')) },
      [['/packages/3/dependencies/0', /collection needs @carton\/cart, which is missing/]],
    ],
    [{ ...firstRelease, packages: [entry('a', 'product', 'basic')] }, [['/packages', /@carton\/runtime is missing/]]],
    [
      releaseWith('1.0.1', entry('lens-linux-x64', 'library', null, [], { version: '1.0.1' })),
      [['/packages/4/dependencies/2', /needs @carton\/lens-linux-x64 1\.0\.0, and the release has 1\.0\.1/]],
    ],
    [
      { ...firstRelease, packages: [...firstRelease.packages, runtime as ReleasedPackage] },
      [['/packages/7/name', /@carton\/runtime is a duplicate/]],
    ],
    [releaseWith('1.0.1', entry('cart', 'product', null, ['core'])), [['/packages/3/tier', /a product needs a tier/]]],
    [
      releaseWith('1.0.1', entry('lens-linux-x64', 'library', 'basic')),
      [['/packages/6/tier', /a library has no tier/]],
    ],
    [
      releaseWith('1.0.1', entry('cart', 'product', 'basic', ['core latest'])),
      [['/packages/3/dependencies/0', /latest is not a version range/]],
    ],
    [
      releaseWith('1.0.1', entry('audit', 'product', 'enterprise', ['core'], { version: '1.0.0-01' })),
      [['/packages/5/version', /1\.0\.0-01 is not a semantic version/]],
    ],
  ];
  for (const [release, errors] of cases) {
    const refused = await publish(release);
    t.match(refused, { status: 400, body: { code: 'release_inconsistent' } });
    t.strictSame(
      pointersOf(refused),
      errors.map(([pointer]) => pointer),
    );
    for (const [index, [, detail]] of errors.entries()) t.match(refused.body.errors[index].detail, detail);
  }
  t.equal((await read()).status, 404, 'nothing was published');
});

t.test('a release is published once, and a channel points to it', async (t) => {
  const published = await publish(firstRelease);
  t.match(published, { status: 201, body: { version: '1.0.0', channel: 'stable' } });
  t.equal(published.headers.get('location'), '/releases/stable');
  const release = await read();
  t.strictSame(release.body, published.body);
  t.equal(release.headers.get('cache-control'), 'public, no-cache');
  t.strictSame(packagesOf(release), packagesOf({ body: firstRelease }).sort());

  const reordered = { ...firstRelease, packages: [...firstRelease.packages].reverse() };
  t.strictSame((await publish(reordered)).body, published.body, 'the same packages in another order are the same');
  const changed = await publish(releaseWith('1.0.0', patched));
  t.match(changed, { status: 409, body: { code: 'release_exists' } });
  t.strictSame((await read()).body, published.body);

  const key = (await stand.mint(undefined, 'enterprise')).key;
  t.equal((await stand.visitor().post('/license/activate', { key })).status, 200);
});

t.test('the next release is what is read and entitled to, and the former one can be brought back', async (t) => {
  const extra = entry('wishlist', 'product', 'basic', ['core', 'runtime']);
  const next = releaseWith('1.0.1', patched);
  const { key } = await stand.mint();
  const entitled = async () => (await stand.visitor().post('/license/activate', { key })).body.packages;
  const before = await entitled();

  t.equal((await publish({ ...next, packages: [...next.packages, extra] })).status, 201);
  t.match(await read(), { body: { version: '1.0.1' } });
  t.ok(packagesOf(await read()).includes('@carton/cart 1.0.1'));
  t.strictSame(await entitled(), [...before, named('wishlist')].sort());

  t.equal((await publish(firstRelease)).status, 201);
  t.match(await read(), { body: { version: '1.0.0' } });
  t.strictSame(await entitled(), before);
});

t.test('channels do not know each other', async (t) => {
  t.equal((await publish({ ...releaseWith('1.1.0-beta.1', patched), channel: 'beta' })).status, 201);
  t.match(await read('beta'), { status: 200, body: { version: '1.1.0-beta.1', channel: 'beta' } });
  t.match(await read(), { body: { version: '1.0.0' } });
  t.equal((await publish({ ...releaseWith('1.1.0-beta.1', patched), channel: 'stable' })).status, 201);
  t.match(await read(), { body: { version: '1.1.0-beta.1' } }, 'what was tried is released as it is');
  t.equal((await read('Beta')).status, 404);
});

t.test('two releases of one version at once: one is published, the other refused', async (t) => {
  const rivals = Array.from({ length: 6 }, (_, index) =>
    releaseWith('3.0.0', entry('cart', 'product', 'basic', ['core'], { version: `1.0.${index}` })),
  );
  const statuses = (await Promise.all(rivals.map(publish))).map(({ status }) => status);
  t.strictSame(statuses.sort(), [201, 409, 409, 409, 409, 409]);
});

t.test('the catalogue is what the stable release contains', async (t) => {
  await publish(firstRelease);
  const { body, headers } = await stand.visitor().get('/catalogue');
  t.equal(headers.get('cache-control'), 'public, max-age=300');
  t.match(body.packages, exactly([{}, {}, {}, {}]));
  t.strictSame(
    body.packages.map(({ name, dependencies }: ReleasedPackage) => [name, dependencies]),
    [
      [named('audit'), [named('core')]],
      [named('cart'), [named('core')]],
      [named('collection'), [named('cart'), named('core')]],
      [named('core'), []],
    ],
  );
  t.strictSame(body.packages[3], {
    name: named('core'),
    tier: 'basic',
    version: '1.0.0',
    description: 'About core',
    dependencies: [],
    routes: [{ method: 'get', path: '/store', operationId: 'readStore', access: ['public'] }],
    migrations: ['20260101000000_core.js'],
  });
});

t.test('without a publish secret nobody publishes', async (t) => {
  const closed = await startStand(t, { publishSecret: undefined }, false);
  for (const authorization of ['Bearer ', 'Bearer undefined', 'Bearer']) {
    const refused = await closed
      .visitor()
      .call('POST', '/releases', { body: firstRelease, headers: { authorization } });
    t.equal(refused.status, 401);
  }
});

/**
 * Releases: published if their packages are compatible, immutable, and read by channel.
 */

import { packageName } from '@carton/runtime/service';
import { exactly, pointersOf } from '@carton/runtime/testing';
import t from 'tap';
import type { ReleasedPackage } from '../releases/schemas.ts';
import { entry, firstRelease } from './release.ts';
import { startTestControlPlane } from './test-control-plane.ts';

const controlPlane = await startTestControlPlane(t, {}, false);
const publish = (release: object) => controlPlane.publisher.post('/releases', release);
const read = (channel = 'stable') => controlPlane.visitor().get(`/releases/${channel}`);
const packagesOf = ({ body }: { body: { packages: ReleasedPackage[] } }) =>
  body.packages.map(({ name, version }) => `${name} ${version}`);
/** The first release, with some packages replaced by those of the same name. */
const releaseWith = (version: string, ...entries: ReleasedPackage[]) => ({
  ...firstRelease,
  version,
  packages: firstRelease.packages.map((each) => entries.find(({ name }) => name === each.name) ?? each),
});
const patched = entry('cart', 'product', 'basic', ['core', 'runtime'], { version: '1.0.1' });

t.test('before the first release, licences cannot be activated', async (t) => {
  const { key } = await controlPlane.mint();
  const refused = await controlPlane.visitor().post('/license/activate', { key });
  t.match(refused, { status: 503, body: { code: 'no_release' } });
  t.equal(refused.headers.get('retry-after'), '60');
  t.match(await read(), { status: 404, body: { code: 'not_found' } });
  t.strictSame((await controlPlane.visitor().get('/catalogue')).body, { packages: [] });
});

t.test('a release of incompatible packages is rejected, with the location of each fault', async (t) => {
  const [runtime] = firstRelease.packages;
  const cases: [release: { packages: ReleasedPackage[] }, errors: [pointer: string, detail: RegExp][]][] = [
    [
      releaseWith('1.0.1', entry('core', 'product', 'basic', ['runtime'], { version: '2.0.0' })),
      [
        [
          '/packages/3/dependencies/0',
          /cart 1\.0\.0 depends on @carton\/core \^1\.0\.0, but the release contains 2\.0\.0/,
        ],
        ['/packages/4/dependencies/1', /collection 1\.0\.0 depends on @carton\/core/],
        ['/packages/5/dependencies/0', /audit 1\.0\.0 depends on @carton\/core/],
      ],
    ],
    [
      { ...firstRelease, packages: firstRelease.packages.filter(({ name }) => name !== packageName('cart')) },
      [['/packages/3/dependencies/0', /collection depends on @carton\/cart, which is missing/]],
    ],
    [
      { ...firstRelease, packages: [entry('a', 'product', 'basic')] },
      [['/packages', /@carton\/runtime, which every box needs, is missing/]],
    ],
    [
      releaseWith('1.0.1', entry('lens-linux-x64', 'library', null, [], { version: '1.0.1' })),
      [['/packages/4/dependencies/2', /depends on @carton\/lens-linux-x64 1\.0\.0, but the release contains 1\.0\.1/]],
    ],
    [
      { ...firstRelease, packages: [...firstRelease.packages, runtime as ReleasedPackage] },
      [['/packages/7/name', /@carton\/runtime is a duplicate/]],
    ],
    [
      releaseWith('1.0.1', entry('cart', 'product', null, ['core'])),
      [['/packages/3/tier', /a product must have a tier/]],
    ],
    [
      releaseWith('1.0.1', entry('lens-linux-x64', 'library', 'basic')),
      [['/packages/6/tier', /a library must not have a tier/]],
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
    const response = await publish(release);
    t.match(response, { status: 400, body: { code: 'release_inconsistent' } });
    t.strictSame(
      pointersOf(response),
      errors.map(([pointer]) => pointer),
    );
    for (const [index, [, detail]] of errors.entries()) t.match(response.body.errors[index].detail, detail);
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
  t.strictSame((await publish(reordered)).body, published.body, 'the order of the packages does not matter');
  const changed = await publish(releaseWith('1.0.0', patched));
  t.match(changed, { status: 409, body: { code: 'release_exists' } });
  t.strictSame((await read()).body, published.body);

  const key = (await controlPlane.mint(undefined, 'enterprise')).key;
  t.equal((await controlPlane.visitor().post('/license/activate', { key })).status, 200);
});

t.test('a new release replaces the current one, and an earlier one can be published again', async (t) => {
  const extra = entry('wishlist', 'product', 'basic', ['core', 'runtime']);
  const next = releaseWith('1.0.1', patched);
  const { key } = await controlPlane.mint();
  const entitled = async () => (await controlPlane.visitor().post('/license/activate', { key })).body.packages;
  const before = await entitled();

  t.equal((await publish({ ...next, packages: [...next.packages, extra] })).status, 201);
  t.match(await read(), { body: { version: '1.0.1' } });
  t.ok(packagesOf(await read()).includes('@carton/cart 1.0.1'));
  t.strictSame(await entitled(), [...before, packageName('wishlist')].sort());

  t.equal((await publish(firstRelease)).status, 201);
  t.match(await read(), { body: { version: '1.0.0' } });
  t.strictSame(await entitled(), before);
});

t.test('the signatures of a release are served with it', async (t) => {
  const signature = (letter: string) => ({ keyid: `SHA256:${letter.repeat(43)}`, sig: 'MEUCIQDx' });
  const signaturesOf = async () => (await read()).body.signatures;
  t.notOk('signatures' in (await read()).body, 'a release that is not signed has none');
  const { publishedAt } = (await read()).body;

  const signed = await publish({ ...firstRelease, signatures: [signature('A')] });
  t.strictSame(signed.body.signatures, [signature('A')]);
  t.strictSame(await signaturesOf(), [signature('A')]);
  t.equal((await read()).body.publishedAt, publishedAt, 'it is the same release');
  await publish(firstRelease);
  t.strictSame(await signaturesOf(), [signature('A')], 'a repetition without signatures removes none');
  await publish({ ...firstRelease, signatures: [signature('A'), signature('B')] });
  t.strictSame(await signaturesOf(), [signature('A'), signature('B')]);

  await publish({ ...releaseWith('1.0.2', patched), signatures: [signature('C')] });
  t.strictSame(await signaturesOf(), [signature('C')]);
  await publish(firstRelease);
  t.equal(await signaturesOf(), undefined, 'those of another release are not served');
  for (const signatures of [[], [{ keyid: 'SHA256:short', sig: 'MEUCIQDx' }], [{ ...signature('A'), sig: '<>' }]])
    t.match(await publish({ ...firstRelease, signatures }), { status: 400, body: { code: 'invalid_request' } });
});

t.test('earlier releases of a channel can be read, with their signatures for it', async (t) => {
  const of = (version: string, channel = 'stable') =>
    controlPlane.visitor().get(`/releases/${channel}/${encodeURIComponent(version)}`);
  const signatures = [{ keyid: `SHA256:${'D'.repeat(43)}`, sig: 'MEUCIQDx' }];
  const signed = await publish({ ...releaseWith('1.0.3+a.1', patched), signatures });
  t.equal(signed.status, 201);
  await publish(firstRelease);
  t.match(await read(), { body: { version: '1.0.0' } });
  const earlier = await of('1.0.3+a.1');
  t.strictSame(earlier.body, signed.body);
  t.strictSame((await of('1.0.0')).body.packages, (await read()).body.packages);
  t.match(await of('1.0.4'), { status: 404, body: { code: 'not_found' } });
  t.match(await of('1.0.3+a.1', 'beta'), { status: 404 }, 'it was not published there');
  t.match(await of('newest'), { status: 404 });
});

t.test('channels are independent', async (t) => {
  t.equal((await publish({ ...releaseWith('1.1.0-beta.1', patched), channel: 'beta' })).status, 201);
  t.match(await read('beta'), { status: 200, body: { version: '1.1.0-beta.1', channel: 'beta' } });
  t.match(await read(), { body: { version: '1.0.0' } });
  t.equal((await publish({ ...releaseWith('1.1.0-beta.1', patched), channel: 'stable' })).status, 201);
  t.match(await read(), { body: { version: '1.1.0-beta.1' } }, 'a release of another channel is published unchanged');
  t.equal((await read('Beta')).status, 404);
});

t.test('of concurrent releases of one version, one is published and the others are rejected', async (t) => {
  const rivals = Array.from({ length: 6 }, (_, index) =>
    releaseWith('3.0.0', entry('cart', 'product', 'basic', ['core'], { version: `1.0.${index}` })),
  );
  const statuses = (await Promise.all(rivals.map(publish))).map(({ status }) => status);
  t.strictSame(statuses.sort(), [201, 409, 409, 409, 409, 409]);
});

t.test('the catalogue lists the products of the stable release', async (t) => {
  await publish(firstRelease);
  const { body, headers } = await controlPlane.visitor().get('/catalogue');
  t.equal(headers.get('cache-control'), 'public, max-age=300');
  t.match(body.packages, exactly([{}, {}, {}, {}]));
  t.strictSame(
    body.packages.map(({ name, dependencies }: ReleasedPackage) => [name, dependencies]),
    [
      [packageName('audit'), [packageName('core')]],
      [packageName('cart'), [packageName('core')]],
      [packageName('collection'), [packageName('cart'), packageName('core')]],
      [packageName('core'), []],
    ],
  );
  t.strictSame(body.packages[3], {
    name: packageName('core'),
    tier: 'basic',
    version: '1.0.0',
    description: 'About core',
    dependencies: [],
    routes: [{ method: 'get', path: '/store', operationId: 'readStore', access: ['public'] }],
    migrations: ['20260101000000_core.js'],
  });
});

t.test('without a publish secret, releases cannot be published', async (t) => {
  const withoutPublisher = await startTestControlPlane(t, { publishSecret: undefined }, false);
  for (const authorization of ['Bearer ', 'Bearer undefined', 'Bearer']) {
    const response = await withoutPublisher
      .visitor()
      .call('POST', '/releases', { body: firstRelease, headers: { authorization } });
    t.equal(response.status, 401);
  }
});

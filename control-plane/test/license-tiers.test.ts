/**
 * The packages of a licence with their reasons, changes of its tier, and its channel of releases.
 */
import { packageName } from '@carton/runtime/service';
import { pointersOf } from '@carton/runtime/testing';
import { decodeJwt } from 'jose';
import t from 'tap';
import { entry, firstRelease } from './release.ts';
import { startTestControlPlane } from './test-control-plane.ts';

const controlPlane = await startTestControlPlane(t);
const { admin, publisher, registry, visitor } = controlPlane;
const activate = async (key: string) => (await visitor().post('/license/activate', { key })).body;
const keys = (id: string) => `/license/keys/${id}`;
const preview = {
  ...firstRelease,
  version: '1.1.0-preview.1',
  channel: 'preview',
  packages: [...firstRelease.packages, entry('gift', 'product', 'basic', ['audit'])],
};
await publisher.post('/releases', preview);
const named = (names: string[]) => names.map(packageName);
const core = { name: packageName('core'), by: 'tier', tier: 'basic', neededBy: named(['cart']) };
const cart = { name: packageName('cart'), by: 'tier', tier: 'basic', neededBy: [] };
const platform = named(['postgresql-linux-x64', 'runtime']).map((name) => ({
  name,
  by: 'platform',
  tier: null,
  neededBy: [],
}));
const collection = { name: packageName('collection'), by: 'tier', tier: 'growth', neededBy: [] };
const audit = { name: packageName('audit'), by: 'tier', tier: 'enterprise', neededBy: [] };

t.test('the packages of a licence are those of its activation, each with its reason', async (t) => {
  const { id, key } = await controlPlane.mint();
  const { status, body } = await admin.get(`${keys(id)}/packages`);
  t.equal(status, 200);
  t.strictSame(body, { tier: 'basic', channel: 'stable', version: '1.0.0', packages: [cart, core, ...platform] });
  const names = body.packages.map(({ name }: { name: string }) => name);
  t.strictSame((await activate(key)).packages, names);
});

t.test('a change of tier is previewed, and then made', async (t) => {
  const { id, key } = await controlPlane.mint();
  const previewed = async (tier: string) => (await admin.get(`${keys(id)}/tier-change?tier=${tier}`)).body;
  const change = (tier: unknown) => admin.post(`${keys(id)}/tier-change`, { tier });
  const release = { channel: 'stable', version: '1.0.0' };
  const up = { from: 'basic', to: 'enterprise', ...release, gained: [audit, collection], lost: [] };
  t.strictSame(await previewed('enterprise'), up);
  t.strictSame(await previewed('basic'), { ...up, to: 'basic', gained: [] });
  t.equal((await admin.get(keys(id))).body.tier, 'basic', 'the preview changes nothing');

  t.match(await change('enterprise'), { status: 200, body: { id, tier: 'enterprise' } });
  const activation = await activate(key);
  t.equal(activation.tier, 'enterprise');
  t.strictSame(activation.packages, named(['audit', 'cart', 'collection', 'core', 'postgresql-linux-x64', 'runtime']));
  t.match(decodeJwt(activation.token), { tier: 'enterprise', packages: activation.packages });
  t.strictSame(await previewed('growth'), { from: 'enterprise', to: 'growth', ...release, gained: [], lost: [audit] });
  t.match(await change('enterprise'), { status: 409, body: { code: 'license_tier_unchanged' } });
  t.equal((await change('platinum')).status, 400);
  t.equal((await admin.get(`${keys(id)}/tier-change`)).status, 400);

  const statuses = (await Promise.all([1, 2, 3].map(() => change('growth')))).map(({ status }) => status);
  t.strictSame(statuses.sort(), [200, 409, 409]);
  await admin.post(`${keys(id)}/revoke`);
  t.match(await change('basic'), { status: 409, body: { code: 'license_revoked_for_good' } });
  t.equal((await admin.get(keys(id))).body.tier, 'growth');
});

t.test('only the vendor changes tiers, and sees reasons', async (t) => {
  const { id, key } = await controlPlane.mint();
  const withKey = { headers: { authorization: `Bearer ${key}` } };
  for (const caller of [registry, publisher, visitor()]) {
    t.equal((await caller.post(`${keys(id)}/tier-change`, { tier: 'enterprise' })).status, 401);
    t.equal((await caller.get(`${keys(id)}/tier-change?tier=enterprise`)).status, 401);
    t.equal((await caller.get(`${keys(id)}/packages`)).status, 401);
  }
  t.equal((await visitor().post(`${keys(id)}/tier-change`, { tier: 'enterprise' }, withKey)).status, 401);
  t.equal((await admin.get(keys(id))).body.tier, 'basic');
  const unknown = keys('01a1fdaa-43b1-71ce-9f75-a1414806b8a2');
  t.equal((await admin.get(`${unknown}/packages`)).status, 404);
  t.equal((await admin.get(`${unknown}/tier-change?tier=basic`)).status, 404);
  t.equal((await admin.post(`${unknown}/tier-change`, { tier: 'basic' })).status, 404);
});

t.test('a licence activates the release of its channel, which the token names', async (t) => {
  const { id, key } = await controlPlane.mint();
  const first = await activate(key);
  t.equal(decodeJwt(first.token).channel, 'stable');
  const move = (channel: unknown) => admin.call('PATCH', keys(id), { body: { channel } });
  t.match(await move('preview'), { status: 200, body: { channel: 'preview' } });
  const moved = await activate(key);
  t.strictSame(Object.keys(moved), Object.keys(first));
  t.match(decodeJwt(moved.token), { channel: 'preview', packages: moved.packages });
  t.strictSame(moved.packages, named(['audit', 'cart', 'core', 'gift', 'postgresql-linux-x64', 'runtime']));
  const { body } = await admin.get(`${keys(id)}/packages`);
  t.match(body, { channel: 'preview', version: '1.1.0-preview.1' });
  t.strictSame(body.packages[0], { ...audit, by: 'dependency', neededBy: named(['gift']) });

  for (const wrong of ['unknown', 'Preview', '', null]) {
    const response = await move(wrong);
    t.strictSame([response.status, pointersOf(response)], [400, ['/channel']], String(wrong));
  }
  const minting = { customerId: 'c', tier: 'basic' };
  t.match(await admin.post('/license/keys', { ...minting, channel: 'preview' }), {
    status: 201,
    body: { channel: 'preview' },
  });
  t.match(await admin.post('/license/keys', { ...minting, channel: 'unknown' }), { status: 400 });
});

t.test('before the first release, the stable channel can be chosen, and has no packages', async (t) => {
  const empty = await startTestControlPlane(t, {}, false);
  const { body } = await empty.admin.post('/license/keys', { customerId: 'c', tier: 'basic', channel: 'stable' });
  for (const path of ['packages', 'tier-change?tier=growth']) {
    t.match(await empty.admin.get(`${keys(body.id)}/${path}`), { status: 503, body: { code: 'no_release' } });
  }
});

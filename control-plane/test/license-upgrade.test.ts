/**
 * Upgrading the control plane of an earlier release: its licences have no limits, and its boxes count where it is certain
 * for which licence. Going back to it does not revive a replaced licence.
 */
import t from 'tap';
import { startTestControlPlane } from './test-control-plane.ts';

const migration = (name: string) => import(new URL(`../migrations/${name}.js`, import.meta.url).href);
const limits = await migration('20261124021000_control_plane_limit_licenses');
const replacements = await migration('20261124021500_control_plane_replace_licenses');
const installed = await migration('20261125040000_control_plane_name_installed_releases');
const controlPlane = await startTestControlPlane(t);
const { admin, db, visitor } = controlPlane;
const read = async (id: string) => (await admin.get(`/license/keys/${id}`)).body;
const deploy = async (key: string, name: string) =>
  (await visitor().post('/boxes/deploy', { key, name, backendUrl: 'https://box.example.com', domains: [] })).status;

t.test('licences and boxes of an earlier release', async (t) => {
  const single = await controlPlane.mint();
  const double = await controlPlane.mint();
  const other = await controlPlane.mint(double.customerId);
  for (const { key } of [single, double]) t.equal(await deploy(key, 'old'), 200);
  const replaced = await controlPlane.mint();
  const replacing = await controlPlane.mint();
  for (const [{ id }, overlapHours] of [
    [replaced, 0],
    [replacing, 5],
  ] as const) {
    t.equal((await admin.post(`/license/keys/${id}/replace`, { overlapHours })).status, 201);
  }

  await replacements.down(db);
  await limits.down(db);
  const states = await db('license_keys').whereIn('id', [replaced.id, replacing.id, single.id]).select('id', 'status');
  t.strictSame(
    Object.fromEntries(states.map(({ id, status }) => [id, status])),
    { [replaced.id]: 'revoked', [replacing.id]: 'active', [single.id]: 'active' },
    'a licence that has ended stays so',
  );
  await limits.up(db);
  await replacements.up(db);
  await installed.up(db);

  const { label, notes, maxBoxes, maxInstallations, channel, trial } = await read(single.id);
  t.strictSame([label, notes, maxBoxes, maxInstallations, channel, trial], [null, null, null, null, 'stable', false]);
  t.equal((await visitor().post('/license/activate', { key: single.key })).status, 200);
  for (const { id } of [single, double, other]) {
    await admin.call('PATCH', `/license/keys/${id}`, { body: { maxBoxes: 1 } });
  }
  t.strictSame([await deploy(single.key, 'new'), await deploy(single.key, 'old')], [403, 200], 'its box counts');
  t.equal(await deploy(other.key, 'old'), 200, 'counts for the first of two licences that deploys it again');
  t.strictSame([await deploy(other.key, 'new'), await deploy(double.key, 'new')], [403, 200]);
});

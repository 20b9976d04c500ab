/**
 * Upgrading the control plane of an earlier release: its domains remain served, and new claims must not overlap them.
 */
import t from 'tap';
import { checkDueDomains } from '../boxes/proof/schedule.ts';
import { startTestControlPlane } from './test-control-plane.ts';

const migration = (name: string) => import(new URL(`../migrations/${name}.js`, import.meta.url).href);
const proofs = await migration('20261123130000_control_plane_prove_domains');
const notifications = await migration('20261123203000_control_plane_notify_domains');
const controlPlane = await startTestControlPlane(t);
const { db } = controlPlane;

t.test('domains of an earlier release are served, and not checked', async (t) => {
  const { key, customerId } = await controlPlane.mint();
  const other = await controlPlane.mint();
  const deploy = (by: string, domains: string[]) =>
    controlPlane.visitor().post('/boxes/deploy', { key: by, name: 'shop', backendUrl: 'https://box.example', domains });
  const resolve = async (host: string) => (await controlPlane.visitor().get(`/boxes/resolve?host=${host}`)).status;
  await deploy(key, ['waiting.shop']);
  await notifications.down(db);
  await proofs.down(db);
  const [{ id: boxId }] = await db('boxes').where({ customerId });
  await db('box_domains').insert(['old.shop', '*.co.uk'].map((domain, position) => ({ domain, boxId, position })));
  await proofs.up(db);
  await notifications.up(db);
  // The rows were inserted without notifications; the upgrade of a release happens before the domains are read.
  await db('box_domains').update({ state: db.ref('state') });
  await controlPlane.server.served.catchUp();
  t.equal(await checkDueDomains(db, controlPlane.options, { info() {}, warn() {} }), 0);
  for (const host of ['old.shop', 'any.co.uk']) t.equal(await resolve(host), 200, host);
  t.equal(await resolve('waiting.shop'), 404);
  const headers = { authorization: `Bearer ${key}` };
  const { body } = await controlPlane.visitor().get('/boxes/deploy/status?name=shop', { headers });
  t.strictSame(
    body.domains.map(({ domain, state, provedBy }: Record<string, string>) => [domain, state, provedBy]),
    [
      ['old.shop', 'proved', 'earlier'],
      ['*.co.uk', 'proved', 'earlier'],
    ],
  );
  t.match(await deploy(other.key, ['a.old.shop']), { status: 409, body: { code: 'domain_taken' } });
  t.equal((await deploy(other.key, ['linen.co.uk'])).status, 200, 'a public suffix blocks nobody');
  t.equal((await deploy(key, ['old.shop'])).status, 200);
  t.equal(await resolve('old.shop'), 200, 'deployed again');
});

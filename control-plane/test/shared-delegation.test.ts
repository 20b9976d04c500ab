/**
 * Delegation to the nameservers of the vendor, which are the same for all customers, does not tell whose a domain is.
 */
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { checkDueDomains } from '../boxes/proof/schedule.ts';
import { type DnsResponse, startResponder } from '../boxes/testing/dns-responder.ts';
import { nameservers, startTestControlPlane } from './test-control-plane.ts';

const responses: Record<string, DnsResponse> = { 'victim.shop': nameservers, 'alone.shop': nameservers };
const responder = await startResponder(t, responses);
const controlPlane = await startTestControlPlane(t, { nameserverLookup: responder.address });

const deploy = (key: string, domains: string[]) =>
  controlPlane.visitor().post('/boxes/deploy', { key, name: 'shop', backendUrl: 'https://box.example.com', domains });
const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
const statusOf = async (key: string) =>
  (await controlPlane.visitor().get('/boxes/deploy/status?name=shop', bearer(key))).body;
const verify = async (key: string) =>
  (await controlPlane.visitor().post('/boxes/domains/verify', { name: 'shop' }, bearer(key))).body;
const resolve = async (host: string) => (await controlPlane.visitor().get(`/boxes/resolve?host=${host}`)).status;

t.test('delegation proves a domain only while one customer claims it', async (t) => {
  const [other, owner] = [await controlPlane.mint(), await controlPlane.mint()];
  for (const { key } of [other, owner]) t.equal((await deploy(key, ['victim.shop'])).status, 200);
  for (const { key } of [other, owner]) {
    t.match(
      (await verify(key)).domains,
      exactly([{ state: 'pending', errors: exactly([{ code: 'delegation_shared', fix: /TXT record/ }]) }]),
    );
  }
  t.equal(await resolve('victim.shop'), 404);
  t.match(await deploy(other.key, ['shop.victim.shop']), { status: 200 });
  t.match(
    (await verify(owner.key)).domains,
    exactly([{ state: 'pending', errors: exactly([{ code: 'delegation_shared' }]) }]),
    'nor while another claims a part of it',
  );
  const { record } = (await statusOf(owner.key)).domains[0];
  responses[record.name] = { txt: [record.value] };
  t.match((await verify(owner.key)).domains, exactly([{ state: 'proved', provedBy: 'record' }]));
  t.match(
    (await verify(other.key)).domains,
    exactly([{ state: 'pending', errors: exactly([{ code: 'domain_taken' }]) }]),
  );
  t.match(await deploy(other.key, ['victim.shop']), { status: 409, body: { code: 'domain_taken' } });
});

t.test('a record ends what another customer has by delegation', async (t) => {
  const [other, owner, third] = [await controlPlane.mint(), await controlPlane.mint(), await controlPlane.mint()];
  await deploy(other.key, ['alone.shop', '*.alone.shop']);
  t.match(
    (await verify(other.key)).domains,
    exactly([
      { state: 'proved', provedBy: 'delegation' },
      { state: 'proved', provedBy: 'delegation' },
    ]),
  );
  t.match(await deploy(third.key, ['part.alone.shop']), { status: 409 }, 'not by a claim of a part of it');
  t.match(await deploy(owner.key, ['alone.shop']), { status: 200 });
  t.match(
    (await verify(owner.key)).domains,
    exactly([{ state: 'pending', errors: exactly([{ code: 'delegation_shared' }]) }]),
  );
  t.equal(await resolve('a.alone.shop'), 200, 'a claim alone ends nothing');
  t.match((await verify(other.key)).domains[0], { state: 'proved' });
  const { record } = (await statusOf(owner.key)).domains[0];
  responses[record.name] = { txt: [record.value] };
  t.match((await verify(owner.key)).domains, exactly([{ state: 'proved', provedBy: 'record' }]));
  t.strictSame((await statusOf(other.key)).domains, []);
  t.equal(await resolve('alone.shop'), 200);
  t.equal(await resolve('a.alone.shop'), 404);
  const { items } = (await controlPlane.admin.get(`/events?customerId=${other.customerId}`)).body;
  const stopped = items.filter(({ type }: { type: string }) => type === 'domain.stopped');
  t.strictSame(stopped.map(({ payload }: { payload: { domain: string } }) => payload.domain).sort(), [
    '*.alone.shop',
    'alone.shop',
  ]);
});

t.test('nor does what another one had by delegation delay the record of the owner', async (t) => {
  responses['moved.shop'] = nameservers;
  const [other, owner] = [await controlPlane.mint(), await controlPlane.mint()];
  await deploy(other.key, ['moved.shop']);
  t.match((await verify(other.key)).domains[0], { state: 'proved', provedBy: 'delegation' });
  // The owner delegates it elsewhere, and sets the record there.
  responses['moved.shop'] = ['ns1.elsewhere.example'];
  const pass = (column: string) =>
    controlPlane
      .db('box_domains')
      .where({ domain: 'moved.shop' })
      .update({ [column]: new Date(0) });
  for (let check = 0; check < 5; check++) {
    await pass('nextCheckAt');
    await checkDueDomains(controlPlane.db, controlPlane.options, { info() {}, warn() {} });
    await pass('stopsAt');
  }
  t.match((await statusOf(other.key)).domains[0], { state: 'pending', provedBy: null });
  t.equal(await resolve('moved.shop'), 404);
  t.match(await deploy(owner.key, ['moved.shop']), { status: 200 }, 'it does not rest');
  const { record } = (await statusOf(owner.key)).domains[0];
  responses[record.name] = { txt: [record.value] };
  t.match((await verify(owner.key)).domains, exactly([{ state: 'proved', provedBy: 'record' }]));
});

/**
 * Domains of boxes at a real PowerDNS: their zones, and delegation as the proof of ownership, found by a real resolver.
 */
import { exactly, until } from '@carton/runtime/testing';
import t from 'tap';
import { startTestControlPlane } from '../../test/test-control-plane.ts';
import { dig, findMissing, startNameserver, startResolver } from './servers.ts';

const skip = findMissing();
const nameservers = ['ns1.vendor.example', 'ns2.vendor.example'];

if (skip) t.plan(0, skip);
else {
  const [nameserver, root] = [await startNameserver(t), await startNameserver(t)];
  await root.zones.post('', { name: '.', kind: 'Native', nameservers: ['root.example.'] });
  const resolver = await startResolver(t, root);
  const { url, key } = nameserver;
  const hosting = { addresses: ['192.0.2.10', '2001:db8::10'] };
  const controlPlane = await startTestControlPlane(t, {
    nameservers,
    nameserverLookup: resolver.address,
    powerdns: { url, key, contact: 'host.master@vendor.example', hosting },
    ownHosts: ['control.carton.store', ...nameservers],
    domainCheckInterval: 50,
  });
  const { db } = controlPlane;

  const deploy = (key: string, domains: string[]) =>
    controlPlane.visitor().post('/boxes/deploy', { key, name: 'shop', backendUrl: 'https://box.example.com', domains });
  const statusOf = async (key: string) => {
    const headers = { authorization: `Bearer ${key}` };
    return (await controlPlane.visitor().get('/boxes/deploy/status?name=shop', { headers })).body.domains;
  };
  const resolve = async (host: string) => (await controlPlane.visitor().get(`/boxes/resolve?host=${host}`)).status;
  const untilZones = (key: string, state: string) =>
    until(
      () => statusOf(key),
      (domains) => domains.every(({ zone }: { zone: { state: string } }) => zone.state === state),
    );
  const ask = (name: string, type = 'A') => dig(nameserver.address, name, type);
  const untilAnswer = (name: string, status: string) =>
    until(
      () => ask(name),
      (found) => found.status === status,
    );
  /** Lets the time pass until a check, or an attempt, is due. */
  const passCheck = (domain: string, customerId: string) =>
    db('box_domains')
      .where({ domain, customerId })
      .update({ nextCheckAt: db.raw("now() - interval '1 second'") });
  const passAttempts = () => db('dns_zones').update({ nextAttemptAt: db.raw("now() - interval '1 second'") });

  t.test('a deployed domain is served, proved by its delegation, and resolves', async (t) => {
    const { key, customerId } = await controlPlane.mint();
    t.match(await deploy(key, ['oak.store', '*.oak.store', 'shop.oak.co.uk', 'oak.test']), { status: 200 });
    const domains = await until(
      () => statusOf(key),
      ([oak, , uk]) => oak.zone.state === 'served' && uk.zone.state === 'served',
    );
    t.strictSame(
      domains.map(({ zone }: { zone: object }) => zone),
      [...Array(3).fill({ state: 'served', detail: null, fix: null }), null],
    );
    t.strictSame(await ask('oak.store', 'NS'), {
      status: 'NOERROR',
      answers: nameservers.map((host) => `NS ${host}.`),
    });
    const { answers } = await ask('oak.store', 'SOA');
    t.equal(answers.length, 1);
    t.match(answers[0], /^SOA ns1\.vendor\.example\. host\\\.master\.vendor\.example\. \d+ 10800 3600 604800 300$/);
    for (const name of ['oak.store', 'www.oak.store', 'a.b.oak.store', 'shop.oak.co.uk']) {
      t.strictSame(await ask(name), { status: 'NOERROR', answers: ['A 192.0.2.10'] }, name);
      t.strictSame(await ask(name, 'AAAA'), { status: 'NOERROR', answers: ['AAAA 2001:db8::10'] }, name);
    }
    t.match(await ask('oak.co.uk'), { status: 'REFUSED' }, 'only the claimed name is served');
    t.match(await ask('oak.test'), { status: 'REFUSED' }, 'a reserved name cannot be delegated');

    await until(
      () => statusOf(key),
      ([oak]) => oak.checkedAt !== null,
    );
    t.match((await statusOf(key))[0], {
      state: 'pending',
      errors: exactly([{ code: 'record_missing' }, { code: 'domain_not_found' }]),
    });
    t.equal(await resolve('oak.store'), 404, 'the zone alone proves nothing');
    await resolver.delegate('oak.store', nameserver);
    for (const domain of ['oak.store', '*.oak.store']) await passCheck(domain, customerId);
    const [oak, wildcard] = await until(
      () => statusOf(key),
      ([oak, wildcard]) => oak.state === 'proved' && wildcard.state === 'proved',
    );
    t.match(
      [oak, wildcard],
      exactly([{ provedBy: 'delegation', observedNameservers: exactly(nameservers) }, { provedBy: 'delegation' }]),
    );
    // The job has proved them: what it committed is in memory once its notifications are.
    await controlPlane.server.served.catchUp();
    t.equal(await resolve('oak.store'), 200);
    t.equal(await resolve('berlin.oak.store'), 200);
  });

  t.test('customers who claim the same name share its zone, which is removed after the last claim', async (t) => {
    const [{ key: one }, { key: other }] = [await controlPlane.mint(), await controlPlane.mint()];
    for (const key of [one, other]) {
      await deploy(key, ['elm.store']);
      await untilZones(key, 'served');
    }
    const { body: before } = await nameserver.zones.get('/elm.store.');
    await deploy(one, []);
    await db('dns_zones')
      .where({ zone: 'elm.store' })
      .update({ nextAttemptAt: db.raw("now() - interval '1 second'"), failures: 7 });
    await until(
      () => db('dns_zones').where({ zone: 'elm.store' }).first(),
      ({ failures }) => failures === 0,
    );
    t.strictSame((await nameserver.zones.get('/elm.store.')).body, before, 'unchanged, also its serial');
    await db('box_domains')
      .where({ domain: 'elm.store' })
      .update({ claimEndsAt: db.raw("now() - interval '1 second'") });
    t.strictSame((await untilAnswer('elm.store', 'REFUSED')).answers, [], 'its claim has ended');
    await until(
      () => db('dns_zones').where({ zone: 'elm.store' }),
      (rows) => rows.length === 0,
    );
  });

  t.test('the zone of a claim does not hide a part of a proved domain', async (t) => {
    const [{ key: owner, customerId }, { key: other }] = [await controlPlane.mint(), await controlPlane.mint()];
    await deploy(other, ['www.pine.store', 'pine.store']);
    await untilZones(other, 'served');
    await deploy(owner, ['*.pine.store']);
    await untilZones(owner, 'served');
    await until(
      () => statusOf(owner),
      ([pine]) => pine.checkedAt !== null,
    );
    await resolver.delegate('pine.store', nameserver);
    // Others claim it too, so that delegation does not prove it.
    const [{ record }] = await statusOf(owner);
    const records = [{ content: `"${record.value}"`, disabled: false }];
    const rrsets = [{ name: `${record.name}.`, type: 'TXT', ttl: 60, changetype: 'REPLACE', records }];
    t.equal((await nameserver.zones.patch('/pine.store.', { rrsets })).status, 204);
    await passCheck('*.pine.store', customerId);
    await until(
      () => statusOf(owner),
      ([pine]) => pine.state === 'proved',
    );
    await until(
      () => nameserver.zones.get('/www.pine.store.'),
      ({ status }) => status === 404,
    );
    t.strictSame((await ask('www.pine.store')).answers, ['A 192.0.2.10'], 'from the zone of the proved domain');
    t.equal((await ask('pine.store', 'NS')).answers.length, 2);
    await deploy(owner, []);
    t.strictSame((await untilAnswer('pine.store', 'REFUSED')).answers, [], 'while it rests, it is nobody’s');
  });

  t.test('zones of the vendor, and names above its hosts, are left alone', async (t) => {
    const rrsets = [
      { name: 'www.fir.store.', type: 'A', ttl: 60, records: [{ content: '192.0.2.99', disabled: false }] },
    ];
    const zone = { name: 'fir.store.', kind: 'Native', nameservers: ['ns1.vendor.example.'], rrsets };
    t.equal((await nameserver.zones.post('', zone)).status, 201);
    const { key } = await controlPlane.mint();
    await deploy(key, ['fir.store', 'www.fir.store', '*.a.fir.store', 'carton.store']);
    const domains = await untilZones(key, 'refused');
    t.match(domains[0].zone, { detail: /in a zone of the vendor/, fix: /TXT record/ });
    t.strictSame(await ask('www.fir.store'), { status: 'NOERROR', answers: ['A 192.0.2.99'] });
    t.match(await ask('x.a.fir.store'), { status: 'NXDOMAIN' });
    t.match(await ask('carton.store'), { status: 'REFUSED' });
    await deploy(key, []);
    await until(
      () => db('dns_zones').whereLike('zone', '%fir.store'),
      (rows) => rows.length === 0,
    );
    t.strictSame(await ask('www.fir.store'), { status: 'NOERROR', answers: ['A 192.0.2.99'] });
  });

  t.test('while the nameserver is away, boxes are deployed, and its zones follow once it is back', async (t) => {
    const { key } = await controlPlane.mint();
    await deploy(key, ['first.ash.store', 'gone.ash.store']);
    await untilZones(key, 'served');
    await nameserver.kill();
    t.match(await deploy(key, ['first.ash.store', 'second.ash.store']), { status: 200, body: { nameservers } });
    const [first, second] = await until(
      () => statusOf(key),
      ([, second]) => second.zone.state === 'failed',
    );
    t.match(first.zone, { state: 'served' }, 'as far as anybody knows');
    t.match(second.zone, { detail: /could not be updated\. The next attempt is at \d{4}-/, fix: /It is repeated/ });
    t.notMatch(JSON.stringify(second), new RegExp(`${new URL(url).port}|ECONN`), 'without the address of the API');
    await nameserver.start();
    t.strictSame((await ask('first.ash.store')).answers, ['A 192.0.2.10'], 'it has kept its zones');
    await passAttempts();
    await untilZones(key, 'served');
    t.strictSame((await ask('second.ash.store')).answers, ['A 192.0.2.10']);
    await untilAnswer('gone.ash.store', 'REFUSED');
  });
}

/**
 * Work on zones at a real PowerDNS after crashes and changes of settings, and a control plane that asks the wrong DNS
 * server.
 */
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { startTestControlPlane } from '../../test/test-control-plane.ts';
import { digestOf, type ZoneSettings } from '../settings.ts';
import { endLease, finishZone, forgetZone, type LeasedZone, leaseZones, markZones } from '../store.ts';
import { updateZones } from '../work.ts';
import { dig, findMissing, startNameserver } from './servers.ts';

const skip = findMissing();

if (skip) t.plan(0, skip);
else {
  const nameserver = await startNameserver(t);
  const nameservers = ['ns1.vendor.example'];
  const powerdns = {
    url: nameserver.url,
    key: nameserver.key,
    contact: 'hostmaster@vendor.example',
    hosting: { addresses: ['192.0.2.10'] },
  };
  const settings: ZoneSettings = { nameservers, ownHosts: nameservers, powerdns };
  const options = { ...settings, nameserverLookup: nameserver.address };
  const controlPlane = await startTestControlPlane(t, options);
  const { db } = controlPlane;
  const quiet = { info() {}, warn() {} };

  const deploy = (key: string, domains: string[]) =>
    controlPlane.visitor().post('/boxes/deploy', { key, name: 'shop', backendUrl: 'https://box.example.com', domains });
  const ask = (name: string, type = 'A') => dig(nameserver.address, name, type);
  const work = (changed: ZoneSettings = settings) => updateZones(db, changed, quiet);
  const { key } = await controlPlane.mint();

  t.test('work that a crash interrupted is done by another replica once the lease is over', async (t) => {
    await deploy(key, ['oak.store']);
    await updateZones(db, { ...settings, powerdns: { ...powerdns, key: 'a wrong key' } }, quiet);
    await db('dns_zones').update({ nextAttemptAt: db.raw("now() - interval '1 second'") });
    const leased = await db.transaction(leaseZones);
    t.strictSame(leased.map(({ zone }) => zone).sort(), ['oak.store', 'undelegated.carton.invalid']);
    // The replica died after it had begun to create the zone.
    const records = [{ content: '192.0.2.99', disabled: false }];
    await nameserver.zones.post('', {
      name: 'oak.store.',
      kind: 'Native',
      account: 'carton',
      nameservers: ['ns9.vendor.example.'],
      rrsets: [{ name: 'old.oak.store.', type: 'A', ttl: 60, records }],
    });
    await work();
    t.strictSame((await ask('old.oak.store')).answers, ['A 192.0.2.99'], 'leased');
    await db('dns_zones').update({ leasedUntil: db.raw("now() - interval '1 second'") });
    await work();
    t.strictSame((await ask('old.oak.store')).answers, ['A 192.0.2.10']);
    t.strictSame((await ask('oak.store', 'NS')).answers, ['NS ns1.vendor.example.']);
    t.match(await db('dns_zones').where({ zone: 'oak.store' }), exactly([{ state: 'served', leasedUntil: null }]));
  });

  t.test('the result of work that is no longer wanted does not count', async (t) => {
    await deploy(key, ['oak.store', 'elm.store']);
    await markZones(db, digestOf(settings));
    const [leased] = await db.transaction(leaseZones);
    t.match(leased, { zone: 'elm.store', wanted: true });
    await deploy(key, ['oak.store']);
    await markZones(db, digestOf(settings));
    // The replica that was told to serve the zone has done so only now.
    await finishZone(db, leased as LeasedZone, { state: 'served', reason: null }, 3600);
    const readZone = () => db('dns_zones').where({ zone: 'elm.store' }).select('wanted', 'state');
    t.strictSame(await readZone(), [{ wanted: false, state: 'waiting' }]);
    t.strictSame(await db.transaction(leaseZones), [], 'nobody else removes it meanwhile');
    await endLease(db, leased as LeasedZone);
    const [removed] = await db.transaction(leaseZones);
    await deploy(key, ['oak.store', 'elm.store']);
    await markZones(db, digestOf(settings));
    await forgetZone(db, removed as LeasedZone);
    t.strictSame(await readZone(), [{ wanted: true, state: 'waiting' }], 'wanted again, so not forgotten');
    await endLease(db, removed as LeasedZone);
    await deploy(key, ['oak.store']);
    await work();
    t.strictSame(await readZone(), []);
  });

  t.test('new settings reach every zone, and PowerDNS raises the serial', async (t) => {
    await work();
    const serialOf = async () => Number((await ask('oak.store', 'SOA')).answers[0]?.split(' ')[3]);
    const before = await serialOf();
    const moved = { ...settings, powerdns: { ...powerdns, hosting: { name: 'sites.vendor.example' } } };
    await work(moved);
    t.strictSame((await ask('www.oak.store', 'CNAME')).answers, ['CNAME sites.vendor.example.']);
    const { body } = await nameserver.zones.get('/oak.store.');
    const types = body.rrsets.map(({ name, type }: { name: string; type: string }) => `${name} ${type}`).sort();
    t.strictSame(types, ['*.oak.store. CNAME', 'oak.store. ALIAS', 'oak.store. NS', 'oak.store. SOA']);
    t.ok((await serialOf()) > before);
    await work();
    t.strictSame((await ask('www.oak.store')).answers, ['A 192.0.2.10']);
  });

  t.test('a control plane that asks the nameserver itself proves no domain by delegation', async (t) => {
    const headers = { authorization: `Bearer ${key}` };
    const { body } = await controlPlane.visitor().post('/boxes/domains/verify', { name: 'shop' }, { headers });
    t.strictSame((await ask('oak.store', 'NS')).answers, ['NS ns1.vendor.example.'], 'as if it were delegated');
    t.match(
      body.domains,
      exactly([
        {
          state: 'pending',
          observedNameservers: exactly([]),
          errors: exactly([
            { code: 'record_missing' },
            { code: 'lookup_failed', detail: /asks the nameservers of the vendor directly/ },
          ]),
        },
      ]),
    );
  });
}

/**
 * Events of licences and releases: what is recorded with each change, in which order, and that they hold no secrets.
 */
import { randomUUID } from 'node:crypto';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { eraseEventsOf, eventDays, removeOldEvents } from '../events/outbox.ts';
import { unnamedInstallation } from '../license/installer-headers.ts';
import { firstRelease } from './release.ts';
import { startTestControlPlane } from './test-control-plane.ts';

const controlPlane = await startTestControlPlane(t);
const { admin, db, publisher, visitor } = controlPlane;

interface Event {
  id: string;
  type: string;
  createdAt: string;
  resource: { type: string; id: string };
  payload: Record<string, unknown>;
}
/** The events of a resource, oldest first. */
const eventsOf = async (id: string): Promise<Event[]> =>
  (await admin.get(`/events?resourceId=${id}&limit=100`)).body.items.toReversed();
const typesOf = async (id: string) => (await eventsOf(id)).map(({ type }) => type);
const later = '2036-01-01T00:00:00.000Z';

t.test('each change of a licence is an event with the licence after it, and what was before', async (t) => {
  const { body: license } = await admin.post('/license/keys', {
    customerId: 'acme',
    tier: 'basic',
    trial: true,
    expiresAt: new Date(Date.now() + 20 * 86_400_000).toISOString(),
    label: 'Secret label',
    notes: 'Secret notes',
  });
  const { id } = license;
  const path = `/license/keys/${id}`;
  await admin.patch(path, { maxBoxes: 3, label: 'Other secret label', notes: 'Secret notes' });
  await admin.post(`${path}/convert`, { expiresAt: null });
  await admin.post(`${path}/renew`, { expiresAt: later });
  await admin.post(`${path}/tier-change`, { tier: 'growth' });
  await admin.post(`${path}/suspend`);
  await admin.post(`${path}/reinstate`);
  const { body: replacement } = await admin.post(`${path}/replace`, { overlapHours: 24 });
  await admin.post(`${path}/revoke`);

  const { endsAt } = (await admin.get(path)).body;
  const events = await eventsOf(id);
  const payload = {
    customerId: 'acme',
    tier: 'basic',
    status: 'active',
    trial: true,
    expiresAt: license.expiresAt,
    endsAt: null,
    replaces: null,
    replacedBy: null,
  };
  const paid = { ...payload, trial: false, expiresAt: null };
  const renewed = { ...paid, expiresAt: later };
  const grown = { ...renewed, tier: 'growth' };
  const replaced = { ...grown, endsAt, replacedBy: replacement.id };
  t.strictSame(
    events.map(({ type, payload }) => [type, payload]),
    [
      ['license.minted', payload],
      ['license.updated', { ...payload, changed: ['maxBoxes', 'label'] }],
      ['license.converted', { ...paid, formerExpiresAt: license.expiresAt }],
      ['license.renewed', { ...renewed, formerExpiresAt: null }],
      ['license.tier_changed', { ...grown, formerTier: 'basic' }],
      ['license.suspended', { ...grown, status: 'suspended' }],
      ['license.reinstated', grown],
      ['license.replaced', replaced],
      ['license.revoked', { ...replaced, status: 'revoked' }],
    ] as never,
  );
  t.match(events[0], { resource: { type: 'license', id } });
  t.match(
    await eventsOf(replacement.id),
    exactly([{ type: 'license.minted', payload: { replaces: id, tier: 'growth', endsAt: null } }]),
  );
  const stored = JSON.stringify(await db('events'));
  for (const secret of [license.key, replacement.key, license.last4, 'ecret']) {
    t.notOk(stored.includes(secret), `no event contains ${secret}`);
  }
});

t.test('what changes nothing, and what is refused, is no event', async (t) => {
  const { id } = await controlPlane.mint('quiet', 'basic', later);
  const path = `/license/keys/${id}`;
  await admin.patch(path, { label: null });
  await admin.post(`${path}/renew`, { expiresAt: '2036-01-01T01:00:00+01:00' });
  await admin.post(`${path}/reinstate`);
  t.equal((await admin.post(`${path}/tier-change`, { tier: 'basic' })).status, 409);
  t.equal((await admin.post(`${path}/convert`, { expiresAt: null })).status, 409);
  await admin.post(`${path}/suspend`);
  await admin.post(`${path}/suspend`);
  await admin.post(`${path}/revoke`);
  await admin.post(`${path}/revoke`);
  t.equal((await admin.post(`${path}/suspend`)).status, 409);
  t.strictSame(await typesOf(id), ['license.minted', 'license.suspended', 'license.revoked']);
});

t.test('the first activation and each new installation are events, also of many at once', async (t) => {
  const { id, key } = await controlPlane.mint('active');
  const [first, second] = [randomUUID(), randomUUID()];
  const activate = (installation?: string) =>
    visitor().post(
      '/license/activate',
      { key },
      installation === undefined ? {} : { headers: { 'installation-id': installation } },
    );
  const responses = await Promise.all([first, second, undefined, first, second, undefined].map(activate));
  t.strictSame(
    responses.map(({ status }) => status),
    Array(6).fill(200),
  );
  const events = await eventsOf(id);
  t.strictSame(events.map(({ type }) => type).sort(), [
    'license.first_activated',
    'license.installation_added',
    'license.installation_added',
    'license.installation_added',
    'license.minted',
  ]);
  t.equal(events[1]?.type, 'license.first_activated');
  t.strictSame(events.flatMap(({ payload }) => payload.installationId ?? []).sort(), [
    unnamedInstallation,
    ...[first, second].sort(),
  ] as never);
});

t.test('an event is committed with its change, or not at all', async (t) => {
  const { id, key } = await controlPlane.mint('full');
  await admin.patch(`/license/keys/${id}`, { maxInstallations: 0 });
  const headers = { 'installation-id': randomUUID() };
  t.equal((await visitor().post('/license/activate', { key }, { headers })).status, 403);
  t.strictSame(await typesOf(id), ['license.minted', 'license.updated'], 'it was not activated');
});

t.test('a channel that leads to another release is an event', async (t) => {
  const [before] = (await admin.get('/events?type=release.published')).body.items as Event[];
  t.match(before?.payload, { channel: 'stable', version: firstRelease.version });
  await publisher.post('/releases', firstRelease);
  await publisher.post('/releases', { ...firstRelease, version: '9.9.9' });
  const { items } = (await admin.get('/events?type=release.published')).body;
  t.match(items, exactly([{ payload: { channel: 'stable', version: '9.9.9' } }, before]));
  t.strictSame(items[0].resource, before?.resource);
});

t.test('first releases of a channel that are published at once are one event for each that it leads to', async (t) => {
  for (const channel of Array.from({ length: 5 }, (_, round) => `first-${round}`)) {
    const publish = (release: object) => publisher.post('/releases', { ...firstRelease, ...release, channel });
    const other = { version: `1.0.0-${channel}` };
    const answers = await Promise.all([{}, {}, {}, {}, {}, other].map(publish));
    t.match(answers, exactly(answers.map(() => ({ status: 201 }))));
    const { items } = (await admin.get('/events?type=release.published&limit=100')).body;
    const versions = (items as Event[])
      .filter(({ payload }) => payload.channel === channel)
      .map(({ payload }) => payload.version);
    for (const [at, version] of versions.entries())
      t.not(version, versions[at + 1], 'the channel led elsewhere before');
    t.ok(versions.includes(firstRelease.version) && versions.includes(other.version));
  }
});

t.test('a domain that is served at once is an event of its box, once', async (t) => {
  const { key, customerId } = await controlPlane.mint();
  const deploy = (domains: string[]) =>
    visitor().post('/boxes/deploy', { key, name: 'shop', backendUrl: 'https://192.0.2.1', domains });
  const served = async () =>
    ((await admin.get(`/events?customerId=${customerId}&type=domain.proved`)).body.items as Event[])
      .map(({ payload }) => payload.domain)
      .sort();
  for (const domains of [['one.example'], ['one.example', 'two.example'], ['one.example', 'pending.shop']]) {
    t.equal((await deploy(domains)).status, 200);
  }
  t.strictSame(await served(), ['one.example', 'two.example']);
  await deploy(['one.example', 'two.example']);
  t.strictSame(await served(), ['one.example', 'two.example', 'two.example'], 'also when it is served again');
  const { body } = await admin.get(`/events?customerId=${customerId}&type=domain.proved&limit=1`);
  t.match(body.items, exactly([{ resource: { type: 'box' }, payload: { customerId, stopsAt: null } }]));
});

t.test('events are filtered, erased with their customer, and removed when they are old', async (t) => {
  const { id } = await controlPlane.mint('gone');
  const { id: other } = await controlPlane.mint('stays');
  const { items } = (await admin.get('/events?customerId=gone&type=license.minted')).body;
  t.match(items, exactly([{ resource: { id } }]));
  const { createdAt } = items[0];
  t.strictSame((await admin.get(`/events?customerId=gone&from=${createdAt}`)).body.items, items);
  t.strictSame((await admin.get(`/events?customerId=gone&to=${createdAt}`)).body.items, []);
  t.equal(await eraseEventsOf(db, 'gone'), 1);
  t.strictSame(await typesOf(id), []);
  await db('events')
    .where({ resourceId: other })
    .update({ createdAt: db.raw(`now() - interval '${eventDays} days' - interval '1 hour'`) });
  t.equal(await removeOldEvents(db), 1);
  t.strictSame(await typesOf(other), []);
});

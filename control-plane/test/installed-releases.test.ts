/**
 * Who runs an old release, by installation: derived from activations, as pages and as CSV.
 */
import { randomUUID } from 'node:crypto';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { firstRelease } from './release.ts';
import { startTestControlPlane } from './test-control-plane.ts';

const controlPlane = await startTestControlPlane(t);
const { admin, db, publisher, visitor } = controlPlane;

async function activate(key: string, installation: string, version = '0.2.0') {
  const headers = {
    'installation-id': installation,
    'installer-version': version,
    'installation-platform': 'linux-x64',
  };
  const { status } = await visitor().post('/license/activate', { key }, { headers });
  if (status !== 200) throw new Error(`the activation returned ${status}`);
}
const publish = async (version: string, channel = 'stable') => {
  const { status } = await publisher.post('/releases', { ...firstRelease, version, channel });
  if (status !== 201) throw new Error(`the release was not published: ${status}`);
};
const list = async (query: string) => (await admin.get(`/customers/installations?${query}`)).body;

t.test('an installation has the release of its last activation, beside the current one of its channel', async (t) => {
  const { key, id, customerId } = await controlPlane.mint('acme');
  const [old, renewed] = [randomUUID(), randomUUID()];
  await activate(key, old);
  await activate(key, renewed);
  t.match((await list('customerId=acme&outdated=true')).items, exactly([]));
  await publish('2.0.0');
  await activate(key, renewed, '0.3.0');
  const { items, nextCursor } = await list('customerId=acme');
  const common = { customerId, licenseId: id, channel: 'stable', released: '2.0.0', platform: 'linux-x64' };
  t.match(
    items,
    exactly([
      { ...common, installationId: renewed, release: '2.0.0', outdated: false, installerVersion: '0.3.0' },
      { ...common, installationId: old, release: '1.0.0', outdated: true, installerVersion: '0.2.0' },
    ]),
  );
  t.equal(nextCursor, null);
  t.ok(items[0].lastActivatedAt > items[0].firstActivatedAt);
  t.match((await list('customerId=acme&outdated=true')).items, exactly([{ installationId: old }]));
  t.match((await list('customerId=acme&outdated=false')).items, exactly([{ installationId: renewed }]));
  const first = await list('customerId=acme&limit=1');
  t.match((await list(`customerId=acme&limit=1&cursor=${first.nextCursor}`)).items, exactly([{ installationId: old }]));

  await publish('1.0.0');
  t.match(
    (await list('customerId=acme&outdated=true')).items,
    exactly([{ installationId: renewed }]),
    'also when the channel was moved back',
  );
});

t.test('the channel is that of the licence when the installation activated', async (t) => {
  await publish('3.0.0-beta.1', 'next');
  const { key, id } = await controlPlane.mint('beta');
  const installation = randomUUID();
  await activate(key, installation);
  t.equal((await admin.patch(`/license/keys/${id}`, { channel: 'next' })).status, 200);
  t.match((await list('customerId=beta')).items, exactly([{ channel: 'stable', release: '1.0.0' }]));
  await activate(key, installation);
  t.match(
    (await list('channel=next')).items,
    exactly([{ installationId: installation, release: '3.0.0-beta.1', outdated: false }]),
  );
});

t.test(
  'a replacement of the licence keeps its installations; an activation from before the record is not known',
  async (t) => {
    const { key, id } = await controlPlane.mint('older');
    const installation = randomUUID();
    await activate(key, installation);
    const { body: replacement } = await admin.post(`/license/keys/${id}/replace`, { overlapHours: 24 });
    await activate(replacement.key, installation);
    t.match((await list('customerId=older')).items, exactly([{ licenseId: id, installationId: installation }]));
    await db('license_installations').where({ installationId: installation }).update({ channel: null, release: null });
    const unknown = { channel: null, release: null, released: null, outdated: null };
    t.match((await list('customerId=older')).items, exactly([unknown]));
    t.match((await list('customerId=older&outdated=true')).items, exactly([]));
    t.match((await list('customerId=older&outdated=false')).items, exactly([]));
  },
);

t.test('all of a search is read as CSV', async (t) => {
  const { items } = await list('customerId=acme');
  const { body, headers } = await admin.get('/customers/installations/csv?customerId=acme');
  t.equal(headers.get('content-type'), 'text/csv; charset=utf-8');
  const columns =
    'customerId,licenseId,installationId,channel,release,released,outdated,installerVersion,platform,firstActivatedAt,lastActivatedAt';
  const lines = items.map((item: Record<string, unknown>) =>
    columns
      .split(',')
      .map((column) => item[column])
      .join(','),
  );
  t.strictSame(body.trimEnd().split('\r\n'), [columns, ...lines]);
  const reader = await controlPlane.administrator('reader');
  t.equal((await reader.caller.get('/customers/installations')).status, 200);
  t.equal((await visitor().get('/customers/installations/csv')).status, 401);
});

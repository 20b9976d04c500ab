/**
 * What the vendor notes about a licence, its limits of boxes and installations, and the history of activations.
 */
import { randomUUID } from 'node:crypto';
import { exactly, pointersOf } from '@carton/runtime/testing';
import t from 'tap';
import { activationDays, removeOldActivations } from '../license/installations.ts';
import { unnamedInstallation } from '../license/installer-headers.ts';
import { startTestControlPlane } from './test-control-plane.ts';

const controlPlane = await startTestControlPlane(t);
const { admin, db } = controlPlane;
const unknownId = '01a1fdaa-43b1-71ce-9f75-a1414806b8a2';

async function mint(more: object = {}) {
  const customerId = `customer-${randomUUID()}`;
  const { status, body } = await admin.post('/license/keys', { customerId, tier: 'basic', ...more });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body as { id: string; key: string; customerId: string };
}
const activate = (key: string, installation?: string, more: Record<string, string> = {}) =>
  controlPlane
    .visitor()
    .post(
      '/license/activate',
      { key },
      { headers: { ...(installation && { 'installation-id': installation }), ...more } },
    );
const deploy = (key: string, name: string) =>
  controlPlane.visitor().post('/boxes/deploy', { key, name, backendUrl: 'https://box.example.com', domains: [] });
const patch = (id: string, body: object) => admin.call('PATCH', `/license/keys/${id}`, { body });
const installationsOf = async (id: string) =>
  (await admin.get(`/license/keys/${id}/installations`)).body.items.map(
    ({ installationId }: { installationId: string }) => installationId,
  );
const statusesOf = (responses: { status: number }[]) => responses.map(({ status }) => status).sort();

t.test('label, notes and limits are set at minting, and changed', async (t) => {
  const terms = { label: 'Berlin', notes: 'Invoice 17\nPaid', maxBoxes: 2, maxInstallations: 3 };
  const { id, key } = await mint(terms);
  const read = async () => (await admin.get(`/license/keys/${id}`)).body;
  t.match(await read(), terms);
  t.match((await patch(id, { label: 'Hamburg', maxBoxes: null })).body, { ...terms, label: 'Hamburg', maxBoxes: null });
  await patch(id, { notes: null, label: null });
  const after = { label: null, notes: null, maxBoxes: null, maxInstallations: 3 };
  t.match(await read(), after);
  t.match((await admin.get(`/license/keys/${(await mint()).id}`)).body, { ...after, maxInstallations: null });
  t.notMatch(JSON.stringify((await activate(key)).body), 'Invoice');

  await admin.post(`/license/keys/${id}/revoke`);
  t.match(await patch(id, { notes: 'Not paid' }), { status: 200, body: { status: 'revoked', notes: 'Not paid' } });
  t.equal((await patch(unknownId, { label: 'x' })).status, 404);
  const cases: [body: object, pointer: string][] = [
    [{ label: '' }, '/label'],
    [{ label: 'a\nb' }, '/label'],
    [{ label: 'a'.repeat(121) }, '/label'],
    [{ notes: '' }, '/notes'],
    [{ notes: 'a\u0000b' }, '/notes'],
    [{ maxBoxes: -1 }, '/maxBoxes'],
    [{ maxBoxes: 1.5 }, '/maxBoxes'],
    [{ maxInstallations: '3' }, '/maxInstallations'],
    [{ tier: 'enterprise' }, '/tier'],
  ];
  for (const [body, pointer] of cases) {
    const response = await patch(id, body);
    t.strictSame([response.status, pointersOf(response)], [400, [pointer]], JSON.stringify(body));
  }
  t.equal((await patch(id, {})).status, 400);
});

t.test('licences are found by a part of their label', async (t) => {
  const { id } = await mint({ label: 'Office 100% (Ärzte)' });
  await mint({ label: 'Office 1000' });
  const found = async (label: string) =>
    (await admin.get(`/license/keys?label=${encodeURIComponent(label)}`)).body.items.map(
      (each: { id: string }) => each.id,
    );
  for (const label of ['100%', 'office 100% (', 'Ärzte']) t.strictSame(await found(label), [id], label);
  t.strictSame(await found('Office_100'), []);
});

t.test('a licence deploys no more boxes than its limit; existing ones always', async (t) => {
  const { id, key } = await mint({ maxBoxes: 2 });
  t.strictSame(statusesOf([await deploy(key, 'a'), await deploy(key, 'b')]), [200, 200]);
  const refused = await deploy(key, 'c');
  t.match(refused, { status: 403, body: { code: 'license_boxes_exceeded', detail: /for 2 boxes/ } });
  const headers = { authorization: `Bearer ${key}` };
  t.equal((await controlPlane.visitor().get('/boxes/deploy/status?name=c', { headers })).status, 404);
  await patch(id, { maxBoxes: 0 });
  t.strictSame(statusesOf([await deploy(key, 'a'), await deploy(key, 'b'), await deploy(key, 'c')]), [200, 200, 403]);
  await patch(id, { maxBoxes: null });
  t.equal((await deploy(key, 'c')).status, 200);
  t.equal((await deploy((await mint({ maxBoxes: 1 })).key, 'a')).status, 200, 'another customer');
});

t.test('boxes count for the licence that deployed them first', async (t) => {
  const { key, customerId } = await mint({ maxBoxes: 1 });
  const second = await mint({ customerId, maxBoxes: 1 });
  t.strictSame(
    statusesOf([await deploy(key, 'a'), await deploy(second.key, 'a'), await deploy(second.key, 'b')]),
    [200, 200, 200],
  );
  t.strictSame(statusesOf([await deploy(second.key, 'c'), await deploy(key, 'c')]), [403, 403]);
});

t.test('of two new boxes at once, one gets the last place', async (t) => {
  for (let round = 0; round < 5; round += 1) {
    const { key } = await mint({ maxBoxes: 1 });
    const names = ['a', 'b', 'c', 'd'];
    const responses = await Promise.all(names.map((name) => deploy(key, name)));
    t.strictSame(statusesOf(responses), [200, 403, 403, 403]);
  }
});

t.test('each installation has one row, and all that do not say who they are count as one', async (t) => {
  const { id, key } = await mint();
  const [first, second] = [randomUUID(), randomUUID()];
  await activate(key);
  const linux = { 'installer-version': '0.2.0', 'installation-platform': 'linux-x64' };
  await activate(key, first, linux);
  await activate(key, first.toUpperCase(), { 'installer-version': '0.3.0-rc.1' });
  await activate(key, second);
  const wrong: [installation: string, more: Record<string, string>][] = [
    ['not-a-uuid', linux],
    [`urn:uuid:${first}`, {}],
    [`${first}, ${second}`, {}],
    [first, { 'installer-version': 'x'.repeat(65), 'installation-platform': 'Linux x64' }],
  ];
  for (const [installation, more] of wrong)
    t.equal((await activate(key, installation, more)).status, 200, installation);

  const { items, nextCursor } = (await admin.get(`/license/keys/${id}/installations`)).body;
  t.equal(nextCursor, null);
  t.match(
    items,
    exactly([
      { installationId: second, version: null, platform: null },
      { installationId: first, version: '0.3.0-rc.1', platform: 'linux-x64' },
      { installationId: unnamedInstallation, version: '0.2.0', platform: 'linux-x64' },
    ]),
  );
  const fields = ['firstActivatedAt', 'installationId', 'lastActivatedAt', 'platform', 'version'];
  t.strictSame(Object.keys(items[0]).sort(), fields);

  const history = (await admin.get(`/license/keys/${id}/activations`)).body;
  const said = ({ installationId, version, platform }: Record<string, string>) => [installationId, version, platform];
  t.strictSame(history.items.map(said), [
    [first, null, null],
    [null, null, null],
    [second, null, null],
  ]);
  const page = (await admin.get(`/license/keys/${id}/activations?limit=2`)).body;
  const rest = (await admin.get(`/license/keys/${id}/activations?limit=2&cursor=${page.nextCursor}`)).body;
  t.strictSame([...page.items, ...rest.items], history.items);
  for (const list of ['installations', 'activations']) {
    t.equal((await admin.get(`/license/keys/${unknownId}/${list}`)).status, 404);
  }

  const age = (days: number) => db.raw(`now() - interval '${days} days'`);
  const [newest, older, oldest] = history.items.map((each: { id: string }) => each.id);
  await db('license_activations')
    .where({ id: oldest })
    .update({ createdAt: age(activationDays + 1) });
  await db('license_activations')
    .where({ id: older })
    .update({ createdAt: age(activationDays - 1) });
  t.equal(await removeOldActivations(db), 1);
  const left = (await admin.get(`/license/keys/${id}/activations`)).body.items.map((each: { id: string }) => each.id);
  t.equal(left.length, 2);
  t.strictSame([left.includes(newest), left.includes(older), left.includes(oldest)], [true, true, false]);
});

t.test('a limit refuses new installations, also one that does not say who it is, never a known one', async (t) => {
  const { id, key } = await mint({ maxInstallations: 2 });
  const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];
  t.strictSame(statusesOf([await activate(key, first), await activate(key, second)]), [200, 200]);
  const before = (await admin.get(`/license/keys/${id}`)).body.lastActivatedAt;
  const refused = await activate(key, third);
  t.match(refused, { status: 403, body: { code: 'license_installations_exceeded', detail: /free the place/ } });
  t.notMatch(JSON.stringify(refused.body), 'token');
  t.equal((await admin.get(`/license/keys/${id}`)).body.lastActivatedAt, before);
  t.equal((await admin.get(`/license/keys/${id}/activations`)).body.items.length, 2);
  await patch(id, { maxInstallations: 0 });
  t.strictSame(
    statusesOf([await activate(key, first), await activate(key, second), await activate(key)]),
    [200, 200, 403],
  );
  await patch(id, { maxInstallations: 3 });
  t.strictSame(statusesOf([await activate(key), await activate(key), await activate(key, third)]), [200, 200, 403]);
  t.strictSame(await installationsOf(id), [unnamedInstallation, second, first]);
  t.equal((await admin.call('DELETE', `/license/keys/${id}/installations/${unnamedInstallation}`)).status, 204);
  await patch(id, { maxInstallations: 2 });

  const free = (installation: string, of = id) =>
    admin.call('DELETE', `/license/keys/${of}/installations/${installation}`);
  t.equal((await free(first, (await mint()).id)).status, 404, 'of another licence');
  t.strictSame([(await free(first)).status, (await free(first)).status], [204, 404]);
  t.equal((await free(first, unknownId)).status, 404);
  t.equal((await activate(key, third)).status, 200);
  t.equal((await activate(key, first)).status, 403);
  t.strictSame(await installationsOf(id), [third, second]);
});

t.test('of several new installations at once, one gets the last place', async (t) => {
  for (let round = 0; round < 5; round += 1) {
    const { id, key } = await mint({ maxInstallations: 1 });
    const responses = await Promise.all([1, 2, 3, 4].map(() => activate(key, randomUUID())));
    t.strictSame(statusesOf(responses), [200, 403, 403, 403]);
    const [known] = await installationsOf(id);
    const again = await Promise.all([1, 2, 3, 4].map(() => activate(key, known)));
    t.strictSame(statusesOf(again), [200, 200, 200, 200]);
  }
});

t.test('a new installation that activates several times at once takes one place', async (t) => {
  for (let round = 0; round < 10; round += 1) {
    const { id, key } = await mint({ maxInstallations: 1 });
    const installation = randomUUID();
    const responses = await Promise.all([1, 2, 3, 4, 5, 6].map(() => activate(key, installation)));
    t.strictSame(statusesOf(responses), [200, 200, 200, 200, 200, 200]);
    t.strictSame(await installationsOf(id), [installation]);
  }
});

t.test('the document describes the headers of an activation', async (t) => {
  const { paths } = (await controlPlane.server.document()) as {
    paths: Record<string, { post: { parameters: { name: string; in: string; required?: boolean }[] } }>;
  };
  const parameters = paths['/license/activate']?.post.parameters.map((each) => [each.name, each.in, each.required]);
  t.strictSame(parameters, [
    ['Installation-Id', 'header', undefined],
    ['Installer-Version', 'header', undefined],
    ['Installation-Platform', 'header', undefined],
  ]);
});

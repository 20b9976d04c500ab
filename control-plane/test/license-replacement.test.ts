/**
 * Replacement of a key with an overlap, and trials that become paid licences.
 */
import { randomUUID } from 'node:crypto';
import { pointersOf } from '@carton/runtime/testing';
import t from 'tap';
import { startTestControlPlane } from './test-control-plane.ts';

const controlPlane = await startTestControlPlane(t);
const { admin, db, registry, visitor } = controlPlane;
const keys = (id: string) => `/license/keys/${id}`;
const daysAhead = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

async function mint(more: object = {}) {
  const { status, body } = await admin.post('/license/keys', { customerId: randomUUID(), tier: 'growth', ...more });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body;
}
const read = async (id: string) => (await admin.get(keys(id))).body;
const replace = (id: string, overlapHours: unknown = 24) => admin.post(`${keys(id)}/replace`, { overlapHours });
const activate = (key: string, installation?: string) =>
  visitor().post(
    '/license/activate',
    { key },
    { headers: { ...(installation && { 'installation-id': installation }) } },
  );
const deploy = (key: string, name: string) =>
  visitor().post('/boxes/deploy', { key, name, backendUrl: 'https://box.example.com', domains: [] });
const withdrawn = async () =>
  (await registry.get('/license/withdrawals')).body.items as { licenseId: string; withdrawnAt: string }[];
/** Moves the end of a replaced licence into the past, as if the overlap had passed. */
const passOverlap = (id: string, ago = '1 second') =>
  db('license_keys')
    .where({ id })
    .update({ endsAt: db.raw(`now() - interval '${ago}'`) });

t.test('a key is replaced by one with the same terms, and ends by itself after the overlap', async (t) => {
  const terms = { label: 'Berlin', notes: 'Invoice', maxBoxes: 2, maxInstallations: 3, expiresAt: daysAhead(400) };
  const old = await mint(terms);
  const before = Date.now();
  const response = await replace(old.id, 48);
  const { key, ...license } = response.body;
  t.equal(response.status, 201);
  t.equal(response.headers.get('location'), keys(license.id));
  t.match(key, /^ctn_growth_[a-z2-7]{32}_[a-z2-7]{6}$/);
  t.match(license, {
    ...terms,
    customerId: old.customerId,
    tier: 'growth',
    status: 'active',
    channel: 'stable',
    trial: false,
  });
  t.match(license, { replaces: old.id, replacedBy: null, endsAt: null, last4: key.slice(-4), lastActivatedAt: null });
  t.strictSame(await read(license.id), license);
  t.notMatch(JSON.stringify(await db('license_keys').where({ id: license.id }).first()), key);

  const replaced = await read(old.id);
  t.match(replaced, { status: 'active', replaces: null, replacedBy: license.id });
  const hours = (Date.parse(replaced.endsAt) - before) / 3_600_000;
  t.ok(hours >= 48 && hours < 48.1, `${hours} hours`);
  t.strictSame([(await activate(old.key)).status, (await activate(key)).status], [200, 200], 'both are valid');
  t.notOk((await withdrawn()).some(({ licenseId }) => licenseId === old.id));

  await passOverlap(old.id);
  t.match(await read(old.id), { status: 'revoked' });
  t.match(await activate(old.key), { status: 403, body: { code: 'license_revoked' } });
  t.equal((await deploy(old.key, 'a')).status, 403);
  t.strictSame([(await activate(key)).status, (await deploy(key, 'a')).status], [200, 200]);
  const { endsAt } = await read(old.id);
  t.strictSame(
    (await withdrawn()).filter(({ licenseId }) => [old.id, license.id].includes(licenseId)),
    [{ licenseId: old.id, customerId: old.customerId, withdrawnAt: endsAt }],
  );
  const list = async (status: string) =>
    (await admin.get(`/license/keys?customerId=${old.customerId}&status=${status}`)).body.items.map(
      (each: { id: string }) => each.id,
    );
  t.strictSame([await list('revoked'), await list('active')], [[old.id], [license.id]]);

  for (const [action, body] of [
    ['reinstate'],
    ['suspend'],
    ['renew', { expiresAt: null }],
    ['replace', { overlapHours: 1 }],
  ] as const) {
    t.equal((await admin.post(`${keys(old.id)}/${action}`, body)).status, 409, action);
  }
  t.match(await activate(old.key), { status: 403 });
  await passOverlap(old.id, '25.5 hours');
  t.notOk(
    (await withdrawn()).some(({ licenseId }) => licenseId === old.id),
    'no token of it is left',
  );
});

t.test('a licence that was suspended before its end is withdrawn since then', async (t) => {
  const old = await mint();
  await replace(old.id, 1);
  await admin.post(`${keys(old.id)}/suspend`);
  const since = (await withdrawn()).find(({ licenseId }) => licenseId === old.id);
  t.ok(since);
  await db('license_keys').where({ id: old.id }).update({ endsAt: db.fn.now() });
  t.strictSame(
    (await withdrawn()).find(({ licenseId }) => licenseId === old.id),
    since,
  );
  t.equal((await read(old.id)).status, 'revoked');
});

t.test('an overlap of 0 hours ends the replaced key at once', async (t) => {
  const old = await mint();
  const { body } = await replace(old.id, 0);
  t.strictSame([(await activate(old.key)).status, (await activate(body.key)).status], [403, 200]);
});

t.test('a repeated replacement mints no second key', async (t) => {
  const old = await mint();
  const responses = await Promise.all([1, 2, 3, 4].map(() => replace(old.id)));
  t.strictSame(responses.map(({ status }) => status).sort(), [201, 409, 409, 409]);
  const { id } = responses.find(({ status }) => status === 201)?.body ?? {};
  const refused = responses.filter(({ status }) => status === 409);
  for (const { body } of [...refused, await replace(old.id, 0)]) {
    t.match(body, { code: 'license_replaced' });
    t.ok(body.detail.includes(id), body.detail);
  }
  t.equal((await admin.get(`/license/keys?customerId=${old.customerId}`)).body.items.length, 2);
  t.equal((await replace(id, 0)).status, 201, 'a replacement can be replaced');
});

t.test('only an active licence is replaced, with a valid overlap', async (t) => {
  const { id } = await mint();
  for (const wrong of [-1, 721, 1.5, '1', null, undefined]) {
    const response = await replace(id, wrong === undefined ? Number.NaN : wrong);
    t.strictSame([response.status, pointersOf(response)], [400, ['/overlapHours']], String(wrong));
  }
  await admin.post(`${keys(id)}/suspend`);
  t.match(await replace(id), { status: 409, body: { code: 'license_not_active' } });
  await admin.post(`${keys(id)}/revoke`);
  t.match(await replace(id), { status: 409, body: { code: 'license_revoked_for_good' } });
  const expired = await mint({ expiresAt: daysAhead(1) });
  await controlPlane.expire(expired.id);
  t.match(await replace(expired.id), { status: 409, body: { code: 'license_not_active' } });
  t.equal((await replace('01a1fdaa-43b1-71ce-9f75-a1414806b8a2')).status, 404);
});

t.test('boxes and installations are counted for a licence and its replacements together', async (t) => {
  const old = await mint({ maxBoxes: 2, maxInstallations: 2 });
  const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];
  await activate(old.key, first);
  await deploy(old.key, 'a');
  const middle = (await replace(old.id, 1)).body;
  const { key, id } = (await replace(middle.id, 1)).body;
  t.equal((await activate(key, second)).status, 200);
  t.equal((await deploy(key, 'b')).status, 200);
  for (const each of [old.key, middle.key, key]) {
    t.strictSame([(await activate(each, first)).status, (await deploy(each, 'a')).status], [200, 200], 'known ones');
    t.strictSame([(await activate(each, third)).status, (await deploy(each, 'c')).status], [403, 403], 'new ones');
  }
  const installations = (await admin.get(`${keys(id)}/installations`)).body.items;
  t.strictSame(
    installations.map(({ installationId }: { installationId: string }) => installationId),
    [second, first],
  );
  t.equal((await admin.call('DELETE', `${keys(old.id)}/installations/${second}`)).status, 204);
  const places = await Promise.all([old.key, middle.key, key].map((each) => activate(each, randomUUID())));
  t.strictSame(places.map(({ status }) => status).sort(), [200, 403, 403], 'at once, with different keys');
});

t.test('a trial expires within 90 days, and becomes a paid licence', async (t) => {
  const minting = { customerId: randomUUID(), tier: 'basic', trial: true };
  for (const expiresAt of [undefined, daysAhead(90.1)]) {
    const response = await admin.post('/license/keys', { ...minting, expiresAt });
    t.strictSame([response.status, pointersOf(response)], [400, ['/expiresAt']]);
  }
  const { id, key, ...trial } = await mint({ ...minting, expiresAt: daysAhead(89.9) });
  t.match(trial, { trial: true, status: 'active' });
  const renew = (expiresAt: string | null) => admin.post(`${keys(id)}/renew`, { expiresAt });
  for (const late of [null, daysAhead(91)]) {
    const response = await renew(late);
    t.strictSame([response.status, pointersOf(response)], [400, ['/expiresAt']], 'renewal is no way round');
  }
  t.equal((await renew(daysAhead(30))).status, 200);
  const paid = await mint({ customerId: minting.customerId });
  const list = async (value: boolean) =>
    (await admin.get(`/license/keys?customerId=${minting.customerId}&trial=${value}`)).body.items.map(
      (each: { id: string }) => each.id,
    );
  t.strictSame([await list(true), await list(false)], [[id], [paid.id]]);

  await controlPlane.expire(id);
  t.equal((await activate(key)).status, 403);
  const convert = (of: string, expiresAt: unknown) => admin.post(`${keys(of)}/convert`, { expiresAt });
  t.equal((await convert(id, undefined)).status, 400);
  t.equal((await convert(id, '2001-01-01T00:00:00Z')).status, 400);
  const expiresAt = daysAhead(365);
  t.match(await convert(id, expiresAt), { status: 200, body: { id, trial: false, status: 'active', expiresAt } });
  t.equal((await activate(key)).status, 200);
  t.match(await convert(id, null), { status: 409, body: { code: 'license_not_trial' } });
  t.equal((await renew(null)).status, 200, 'a paid licence may never expire');
  const revoked = await mint({ ...minting, expiresAt: daysAhead(5) });
  await admin.post(`${keys(revoked.id)}/revoke`);
  t.match(await convert(revoked.id, null), { status: 409, body: { code: 'license_revoked_for_good' } });
});

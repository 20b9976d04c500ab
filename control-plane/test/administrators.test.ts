/**
 * Administrators: what each role may do, operation by operation; their secrets, and when these end.
 */
import { randomUUID } from 'node:crypto';
import { callerOf } from '@carton/runtime/testing';
import t from 'tap';
import { failuresPerWindow } from '../license/guesses.ts';
import { startTestControlPlane } from './test-control-plane.ts';

const controlPlane = await startTestControlPlane(t);
const { admin, db, url } = controlPlane;
const reader = await controlPlane.administrator('reader');
const manager = await controlPlane.administrator('manager');
const owner = await controlPlane.administrator('owner');

/** The lowest role that may use each operation of administrators. */
const required: Record<string, 'reader' | 'manager' | 'owner'> = {
  mintLicense: 'manager',
  listLicenses: 'reader',
  readLicense: 'reader',
  changeLicense: 'manager',
  suspendLicense: 'manager',
  reinstateLicense: 'manager',
  revokeLicense: 'manager',
  renewLicense: 'manager',
  convertTrial: 'manager',
  replaceLicense: 'manager',
  listLicensePackages: 'reader',
  previewTierChange: 'reader',
  changeLicenseTier: 'manager',
  listLicenseInstallations: 'reader',
  listLicenseActivations: 'reader',
  removeLicenseInstallation: 'manager',
  rotateSigningKey: 'owner',
  listDownloads: 'reader',
  exportDownloads: 'reader',
  listDownloadRollups: 'reader',
  exportDownloadRollups: 'reader',
  listDownloadedVersions: 'reader',
  listInstalledReleases: 'reader',
  exportInstalledReleases: 'reader',
  listRefusals: 'reader',
  exportCustomer: 'manager',
  eraseCustomer: 'owner',
  releaseDomain: 'manager',
  createAdministrator: 'owner',
  listAdministrators: 'owner',
  readAdministrator: 'owner',
  changeAdministrator: 'owner',
  deleteAdministrator: 'owner',
  replaceAdministratorSecret: 'owner',
  listJournal: 'manager',
  verifyJournal: 'manager',
  listEvents: 'reader',
  createWebhook: 'owner',
  listWebhooks: 'manager',
  readWebhook: 'manager',
  changeWebhook: 'owner',
  deleteWebhook: 'owner',
  replaceWebhookSecret: 'owner',
  testWebhook: 'manager',
  replayEvents: 'manager',
  listWebhookDeliveries: 'manager',
  readWebhookDelivery: 'manager',
  redeliverEvent: 'manager',
  readMetrics: 'reader',
};
const ranks = ['reader', 'manager', 'owner'];

interface Operation {
  operationId: string;
  description: string;
  security?: Record<string, unknown>[];
  responses: Record<string, unknown>;
}

const statusWith = async (secret: string, path = '/license/keys') =>
  (await callerOf(url, { authorization: `Bearer ${secret}` }).get(path)).status;

t.test('each role may do what its operations say, and no more', async (t) => {
  const { paths } = (await controlPlane.server.document()) as { paths: Record<string, Record<string, Operation>> };
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { security = [] }]) => security.some((scheme) => 'adminSecret' in scheme))
      .map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
  );
  t.strictSame(operations.map(({ operationId }) => operationId).sort(), Object.keys(required).sort());
  for (const { operationId, path, method, description } of operations) {
    const needed = required[operationId] as string;
    t.match(description, `Administrators need the role \`${needed}\`.`, operationId);
    const target = path
      .replaceAll(/\{(id|installationId|deliveryId)\}/g, randomUUID())
      .replace('{domain}', 'free.example.org');
    for (const { caller, name } of [reader, manager, owner]) {
      const role = name.split('-')[0] as string;
      const { status, body } = await caller.call(method, target);
      const label = `${operationId} as ${role}`;
      if (ranks.indexOf(role) < ranks.indexOf(needed)) {
        t.match({ status, code: body.code }, { status: 403, code: `${needed}_required` }, label);
      } else t.notOk([401, 403, 429, 500].includes(status), `${label}: ${status}`);
    }
  }
});

t.test('a reader changes nothing, a manager changes licences', async (t) => {
  const { id } = await controlPlane.mint();
  const statusOf = async () => (await admin.get(`/license/keys/${id}`)).body.status;
  t.match(await reader.caller.post(`/license/keys/${id}/suspend`), { status: 403, body: { code: 'manager_required' } });
  t.equal(await statusOf(), 'active');
  t.equal((await manager.caller.post(`/license/keys/${id}/suspend`)).status, 200);
  t.equal(await statusOf(), 'suspended');
});

t.test('an administrator is created, changed and deleted', async (t) => {
  const created = await admin.post('/administrators', { name: 'ada@vendor.example', role: 'reader' });
  t.equal(created.status, 201);
  const { secret, ...shown } = created.body;
  t.match(secret, /^ctn_admin_[a-z2-7]{32}_[a-z2-7]{6}$/);
  const path = `/administrators/${shown.id}`;
  t.equal(created.headers.get('location'), path);
  t.strictSame((await admin.get(path)).body, { ...shown, lastUsedAt: null });
  t.equal((await admin.get('/administrators?limit=1')).body.items[0].id, shown.id);
  t.notOk(JSON.stringify(await db('administrator_secrets')).includes(secret), 'the secret is not stored');
  t.match(await admin.post('/administrators', { name: 'ada@vendor.example', role: 'owner' }), {
    status: 409,
    body: { code: 'administrator_name_taken' },
  });
  t.equal((await admin.post('/administrators', { name: 'ADMIN_SECRET', role: 'owner' })).status, 400);
  t.equal(
    (await admin.post('/administrators', { name: 'old', role: 'reader', expiresAt: '2020-01-01T00:00:00Z' })).status,
    400,
  );

  const caller = callerOf(url, { authorization: `Bearer ${secret}` });
  t.equal((await caller.get('/journal')).status, 403);
  t.match((await admin.patch(path, { role: 'manager' })).body, { role: 'manager' });
  t.equal((await caller.get('/journal')).status, 200, 'the next request has the new role');
  t.equal((await admin.patch(path, { disabled: true })).body.disabled, true);
  t.equal(await statusWith(secret), 401, 'a disabled administrator does not enter');
  await admin.patch(path, { disabled: false, expiresAt: '2036-01-01T00:00:00Z' });
  t.equal(await statusWith(secret), 200);
  await db('administrators')
    .where({ id: shown.id })
    .update({ expiresAt: db.raw("now() - interval '1 second'") });
  t.equal(await statusWith(secret), 401, 'an expired administrator does not enter');
  await admin.patch(path, { expiresAt: null });
  t.equal(await statusWith(secret), 200);
  t.equal((await admin.delete(path)).status, 204);
  t.equal(await statusWith(secret), 401, 'a deleted administrator does not enter');
  for (const response of [await admin.get(path), await admin.delete(path), await admin.patch(path, { disabled: true })])
    t.equal(response.status, 404);
});

t.test('a replaced secret is valid for its overlap, and no third one is', async (t) => {
  const { id, secret: first } = await controlPlane.administrator('reader');
  const replace = async (overlapHours?: number) =>
    (await admin.post(`/administrators/${id}/secret`, { overlapHours })).body.secret as string;
  const second = await replace(24);
  t.strictSame([await statusWith(first), await statusWith(second)], [200, 200]);
  const third = await replace(1);
  t.strictSame([await statusWith(first), await statusWith(second), await statusWith(third)], [401, 200, 200]);
  await db('administrator_secrets')
    .where({ administratorId: id })
    .whereNotNull('validUntil')
    .update({ validUntil: db.raw("valid_until - interval '1 hour'") });
  t.strictSame([await statusWith(second), await statusWith(third)], [401, 200], 'the overlap has ended');
  const fourth = await replace();
  t.strictSame([await statusWith(third), await statusWith(fourth)], [401, 200], 'without an overlap');
  t.equal((await admin.post(`/administrators/${id}/secret`, { overlapHours: 25 })).status, 400);
  t.equal((await admin.post(`/administrators/${randomUUID()}/secret`, {})).status, 404);
});

t.test('the last use is noted at most once a minute', async (t) => {
  const { id, secret } = await controlPlane.administrator('reader');
  const lastUsedAt = async () => (await admin.get(`/administrators/${id}`)).body.lastUsedAt;
  t.equal(await lastUsedAt(), null);
  await statusWith(secret);
  const noted = await lastUsedAt();
  t.type(noted, 'string');
  await statusWith(secret);
  t.equal(await lastUsedAt(), noted);
  await db('administrators')
    .where({ id })
    .update({ lastUsedAt: db.raw("now() - interval '61 seconds'") });
  const before = await lastUsedAt();
  await statusWith(secret);
  t.ok((await lastUsedAt()) > before);
});

t.test('unknown secrets are guesses; ended ones, and those of other routes, are not', async (t) => {
  const { id, secret } = await controlPlane.administrator('reader');
  const known = controlPlane.visitor();
  const send = (caller: typeof known, sent: string, path = '/license/keys') =>
    caller.get(path, { headers: { authorization: `Bearer ${sent}` } });
  await admin.patch(`/administrators/${id}`, { disabled: true });
  for (let use = 0; use <= failuresPerWindow; use += 1) {
    t.equal((await send(known, secret)).status, 401);
    t.equal((await send(known, manager.secret, '/license/withdrawals')).status, 401);
  }
  t.equal((await send(known, manager.secret)).status, 200);

  await admin.delete(`/administrators/${id}`);
  const guesser = controlPlane.visitor();
  for (let guess = 0; guess < failuresPerWindow; guess += 1) t.equal((await send(guesser, secret)).status, 401);
  t.equal((await send(guesser, secret)).status, 429);
  t.equal((await send(guesser, manager.secret)).status, 200, 'a right one is no guess');
});

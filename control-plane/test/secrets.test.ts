/**
 * Secrets that are replaced while the control plane runs, and SIGNING_KEY_SECRET, with which rows are encrypted again.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { callerOf, exactly } from '@carton/runtime/testing';
import type { Knex } from 'knex';
import t, { type Test } from 'tap';
import { openHostingSecrets } from '../boxes/hosting-secret.ts';
import { encryptionJob } from '../encrypt-again.ts';
import { startControlPlane } from '../index.ts';
import { startJobs } from '../schedule.ts';
import { encryptKeysAgain } from '../signing/private-keys.ts';
import { firstRelease } from './release.ts';
import { makeDatabase, optionsFor } from './test-control-plane.ts';

const value = () => `secret-${randomUUID()}`;
const bearer = (secret: string | undefined) => ({ authorization: `Bearer ${secret}` });

t.test('each secret of the settings has one or two values, and those that are removed are refused', async (t) => {
  const { url: databaseUrl } = await makeDatabase(t);
  const names = ['adminSecret', 'registrySecret', 'publishSecret', 'hostingSecret', 'metricsSecret'] as const;
  const secrets = Object.fromEntries(names.map((name) => [name, { values: [value()] }])) as Record<
    (typeof names)[number],
    { values: string[] }
  >;
  const { url, stop } = await startControlPlane({ ...optionsFor(databaseUrl), ...secrets });
  t.teardown(stop);
  const calls: Record<(typeof names)[number], { path: string; body?: object; status: number }> = {
    adminSecret: { path: '/license/keys', status: 200 },
    registrySecret: { path: '/license/withdrawals', status: 200 },
    publishSecret: { path: '/releases', body: firstRelease, status: 201 },
    hostingSecret: { path: '/boxes/hosting?host=shop.example.com', status: 404 },
    metricsSecret: { path: '/metrics', status: 200 },
  };
  for (const name of names) {
    const { path, body, status } = calls[name];
    const statusWith = async (secret: string | undefined) =>
      (await callerOf(url, bearer(secret)).call(body ? 'POST' : 'GET', path, { body })).status;
    const [former] = secrets[name].values;
    const next = value();
    t.strictSame([await statusWith(former), await statusWith(next)], [status, 401], name);
    secrets[name].values = [next, former as string];
    t.strictSame([await statusWith(former), await statusWith(next)], [status, status], `both of ${name}`);
    secrets[name].values = [next];
    t.strictSame([await statusWith(former), await statusWith(next)], [401, status], `the next of ${name}`);
  }
  const other = callerOf(url, { ...bearer(secrets.adminSecret.values[0]), 'x-hosting-secret': value() });
  t.equal((await other.get('/license/keys')).status, 200);
});

const column = async (db: Knex, table: string, name: string): Promise<string[]> =>
  (await db.raw('select ?? as value from ?? order by created_at', [name, table])).rows.map(
    (row: { value: string }) => row.value,
  );

const encryptedWith = (secret: { values: string[] } | undefined) => ({
  signingKeySecret: secret,
  encryptionInterval: 20,
});

/** A control plane with a licence, a box with a hosting secret, and what they show. */
async function startWithBox(t: Test, databaseUrl: string, secret: { values: string[] } | undefined) {
  const options = optionsFor(databaseUrl, { provesDomains: false });
  const server = await startControlPlane({ ...options, ...encryptedWith(secret) });
  t.teardown(() => server.stop());
  const admin = callerOf(server.url, bearer(options.adminSecret));
  await callerOf(server.url, bearer(options.publishSecret)).post('/releases', firstRelease);
  const { body: licence } = await admin.post('/license/keys', { customerId: 'acme', tier: 'basic' });
  const box = { key: licence.key, name: 'shop', backendUrl: 'https://192.0.2.1', domains: ['shop.example.com'] };
  await callerOf(server.url).post('/boxes/deploy', box);
  const { body } = await callerOf(server.url, bearer(licence.key)).post('/boxes/hosting-secret', { name: 'shop' });
  const webhook = await admin.post('/webhooks', { url: 'https://192.0.2.1/events' });
  if (webhook.status !== 201) throw new Error(JSON.stringify(webhook.body));
  await admin.post(`/webhooks/${webhook.body.id}/secret`, { overlapHours: 1 });
  const hosting = callerOf(server.url, bearer(options.hostingSecret));
  return {
    server,
    options,
    hostingSecret: body.hostingSecret as string,
    readHostingSecret: async () => (await hosting.get('/boxes/hosting?host=shop.example.com')).body.hostingSecret,
    activate: async () => (await callerOf(server.url).post('/license/activate', { key: licence.key })).status,
  };
}

t.test('SIGNING_KEY_SECRET is replaced without a restart, and then the former value is of no use', async (t) => {
  const { url: databaseUrl, db } = await makeDatabase(t);
  const secret = { values: [value()] };
  const { server, options, ...plane } = await startWithBox(t, databaseUrl, secret);
  const stored = async () => ({
    keys: await column(db, 'signing_keys', 'private_key'),
    boxes: await column(db, 'boxes', 'hosting_secret'),
    webhooks: await column(db, 'webhooks', 'secret'),
    former: await column(db, 'webhooks', 'former_secret'),
  });
  const before = await stored();
  const [former] = secret.values as [string];
  const next = value();
  secret.values = [next, former];
  const opened = (values: string[]) => openHostingSecrets(db, { values }).find('shop.example.com', 'https://192.0.2.1');
  const all = (rows: Awaited<ReturnType<typeof stored>>) => Object.values(rows).flat();
  for (let rows = before; all(rows).some((row) => all(before).includes(row)); rows = await stored()) await sleep(20);
  t.equal(await opened([next]), plane.hostingSecret);
  t.equal(await plane.activate(), 200);
  const after = await stored();
  t.strictSame([after.keys.length, after.boxes.length], [before.keys.length, before.boxes.length], 'no row is lost');
  t.match([after.boxes.length, after.webhooks.length, after.former.length], exactly([1, 1, 1]));
  await t.rejects(opened([former]), /SIGNING_KEY_SECRET does not decrypt/);

  secret.values = [next];
  t.equal(await plane.readHostingSecret(), plane.hostingSecret);
  await server.stop();
  await t.rejects(
    startControlPlane({ ...options, ...encryptedWith({ values: [former] }) }),
    /the signing key is encrypted/,
  );
  const again = await startControlPlane({ ...options, ...encryptedWith({ values: [next] }) });
  t.teardown(() => again.stop());
  const rotated = await callerOf(again.url, bearer(options.adminSecret)).post('/signing-keys/rotate');
  t.equal(rotated.status, 201, 'the next key is decrypted too');
});

t.test('a process that dies between two rows leaves what both values decrypt, and the next continues', async (t) => {
  const { url: databaseUrl, db } = await makeDatabase(t);
  const former = value();
  const { server, options, ...plane } = await startWithBox(t, databaseUrl, { values: [former] });
  await server.stop();
  const next = value();
  const both = { values: [next, former] };
  // As if it had died after the first key.
  const [kid] = await column(db, 'signing_keys', 'kid');
  const untouched = await db('signing_keys').whereNot({ kid }).select('kid', 'privateKey');
  t.equal(await encryptKeysAgain(db, both), 2);
  for (const row of untouched) await db('signing_keys').where({ kid: row.kid }).update(row);

  const again = await startControlPlane({ ...options, ...encryptedWith(both) });
  t.teardown(() => again.stop());
  t.equal(await encryptKeysAgain(db, { values: [next] }), 0, 'the start encrypted the rest');
  const hosting = callerOf(again.url, bearer(options.hostingSecret));
  t.equal((await hosting.get('/boxes/hosting?host=shop.example.com')).body.hostingSecret, plane.hostingSecret);
});

t.test('a secret encrypts what was stored without one', async (t) => {
  const { url: databaseUrl, db } = await makeDatabase(t);
  const { server, options, ...plane } = await startWithBox(t, databaseUrl, undefined);
  t.match(await column(db, 'boxes', 'hosting_secret'), exactly([plane.hostingSecret]));
  await server.stop();
  const again = await startControlPlane({ ...options, ...encryptedWith({ values: [value()] }) });
  t.teardown(() => again.stop());
  t.match(await column(db, 'boxes', 'hosting_secret'), exactly([/^v1\./]));
  for (const pem of await column(db, 'signing_keys', 'private_key')) t.match(pem, /ENCRYPTED PRIVATE KEY/);
});

t.test('it is said that the former value may be removed once nothing is left, also after a failure', async (t) => {
  const lines: string[] = [];
  const log = {
    info: (_: object, message: string) => lines.push(message),
    warn: (_: object, message: string) => lines.push(message),
  };
  const results = [() => Promise.reject(new Error('the database is away')), async () => 3, async () => 0];
  let steps = 0;
  const step = () => (results[steps++] ?? (async () => 0))();
  const { stop } = await startJobs([encryptionJob({ values: [value(), value()] }, [step], log, 5)], log);
  t.teardown(stop);
  while (steps < 3) await sleep(5);
  await sleep(50);
  t.equal(steps, 3, 'nothing is read once all is encrypted');
  t.match(lines, exactly([/could not be encrypted again/, /were encrypted again/, /remove the other$/]));
});

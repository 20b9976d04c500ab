/**
 * A customer's end: export of all that is stored, and erasure that leaves nothing but what it says, also while licences
 * are minted and activated, boxes deployed, and downloads reported.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageName } from '@carton/runtime/service';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { removeLeftovers } from '../customers/leftovers.ts';
import { startRegistry } from '../registry/index.ts';
import { rollUpReports } from '../telemetry/roll-up.ts';
import { registryUrl, startTestControlPlane } from './test-control-plane.ts';

const controlPlane = await startTestControlPlane(t);
const { db, admin, registry, visitor } = controlPlane;

/** Tables that name a customer, a licence, an installation or a box, or refer to one that does, and where the export has their rows. */
const covered: Record<string, string | null> = {
  license_keys: 'licences',
  license_installations: 'installations',
  license_activations: 'activations',
  license_warnings: 'warnings',
  boxes: 'boxes',
  box_domains: 'boxes',
  download_reports: 'downloads',
  download_rollups: 'downloadsByDay',
  download_totals: 'downloadsInTotal',
  events: 'events',
  // Only a hash.
  customer_erasures: null,
  // Removed with their events. They say what was sent to the vendor's own services.
  webhook_deliveries: null,
  webhook_attempts: null,
};

async function report(
  customerId: string,
  { count = 1, downloadedAt = '2026-11-20T10:00:00.000Z', outcome = 'allowed' } = {},
) {
  const reports = Array.from({ length: count }, () => ({
    idempotencyKey: randomUUID(),
    downloadedAt,
    report: { customerId, tier: 'basic', packageName: packageName('cart'), version: '1.0.0', outcome },
  }));
  const { status, body } = await registry.post('/telemetry/downloads/batch', { reports });
  if (status !== 202) throw new Error(`${status}`);
  return body.outcomes.map((each: { outcome: string }) => each.outcome);
}

const activate = (key: string) =>
  visitor().post(
    '/license/activate',
    { key },
    { headers: { 'installation-id': randomUUID(), 'installation-platform': 'linux-x64' } },
  );
const deploy = (key: string, name: string, domains: string[] = []) =>
  visitor().post('/boxes/deploy', { key, name, backendUrl: 'https://box.example.com', domains });
const erase = (customerId: string, revoke?: boolean) => admin.post('/customers/erase', { customerId, revoke });
const exportOf = async (customerId: string) => {
  const { status, body } = await admin.get(`/customers/export?customerId=${encodeURIComponent(customerId)}`);
  return { status, body: typeof body === 'string' ? JSON.parse(body) : body };
};

/** A customer of whom something is in every table. */
async function openCustomer() {
  const customerId = `customer ${randomUUID()}/../=`;
  const label = `label ${randomUUID()}`;
  const minted = await admin.post('/license/keys', { customerId, tier: 'basic', label, notes: `notes of ${label}` });
  const { id, key } = minted.body as { id: string; key: string };
  const activation = await activate(key);
  const domain = `${randomUUID()}.example`;
  const pending = `${randomUUID()}.vendor-customer.store`;
  for (const [name, domains] of [
    ['first', [domain]],
    ['second', [pending]],
  ] as const) {
    const { status, body } = await deploy(key, name, [...domains]);
    if (status !== 200) throw new Error(JSON.stringify(body));
  }
  await db('license_warnings').insert({ licenseId: id, term: 'expiry', instant: '2026-12-01T00:00:00Z', days: 30 });
  await report(customerId, { count: 3 });
  await report(customerId, { outcome: 'denied' });
  await rollUpReports(db);
  return { customerId, label, id, key, domain, pending, token: activation.body.token as string };
}

/** The tables in which a text is. */
async function tablesWith(text: string): Promise<string[]> {
  const { rows } = await db.raw(
    `select tablename as name from pg_tables where schemaname = current_schema() order by 1`,
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const { rows: hits } = await db.raw(
      `select count(*)::integer as count from "${name}" r where position(? in r::text) > 0`,
      [text],
    );
    if (hits[0].count > 0) found.push(name);
  }
  return found;
}

t.test('every table that names a customer is exported and erased', async (t) => {
  const { rows } = await db.raw(
    `with recursive naming as (
       select distinct format('%I', table_name)::regclass as name from information_schema.columns
        where table_schema = current_schema() and column_name ~ 'customer|license|installation|box'
       union
       select conrelid::regclass from pg_constraint join naming on confrelid = name and contype = 'f')
     select name::text from naming order by 1`,
  );
  const missing = rows.map(({ name }: { name: string }) => name).filter((name: string) => !(name in covered));
  t.strictSame(missing, [], 'add the table to the export and the erasure of its module, and to this list');
  t.ok(rows.length >= 10);
});

t.test('the export has all that is stored, without secrets and without persons of the vendor', async (t) => {
  const manager = await controlPlane.administrator('manager');
  const { customerId, label, id, key, domain, pending, token } = await openCustomer();
  await manager.caller.post(`/license/keys/${id}/renew`, { expiresAt: null });
  await controlPlane.mint('customer');
  const { status, body } = await exportOf(customerId);
  t.equal(status, 200);
  const sections = [
    'licences',
    'installations',
    'activations',
    'warnings',
    'boxes',
    'downloads',
    'downloadsByDay',
    'downloadsInTotal',
    'events',
    'journal',
  ];
  t.strictSame(Object.keys(body), ['customerId', 'exportedAt', ...sections]);
  for (const [table, section] of Object.entries(covered)) if (section) t.ok(body[section].length > 0, table);
  t.match(body.licences, exactly([{ id, customerId, label, notes: `notes of ${label}`, status: 'active' }]));
  t.match(
    body.boxes
      .map(({ name, domains }: { name: string; domains: { domain: string }[] }) => [name, domains[0]?.domain])
      .sort(),
    exactly([
      ['first', domain],
      ['second', pending],
    ]),
  );
  t.equal(body.downloads.length, 4);
  t.match(
    body.journal.map(({ operationId }: { operationId: string }) => operationId),
    exactly(['mintLicense', 'renewLicense']),
  );
  const text = JSON.stringify(body);
  const { keyHash } = await db('license_keys').where({ id }).first('keyHash');
  const hosting = await db('boxes').where({ customerId }).whereNotNull('hostingSecret').select('hostingSecret');
  const secrets = [key, token, keyHash, manager.name, manager.id, ...hosting.map(({ hostingSecret }) => hostingSecret)];
  for (const secret of secrets) t.notOk(text.includes(secret));
  t.equal((await exportOf('nobody')).status, 404);
  t.equal((await manager.caller.get('/customers/export')).status, 400);
});

t.test('a large export is one JSON document', async (t) => {
  const { customerId } = await controlPlane.mint();
  for (let batch = 0; batch < 3; batch += 1) await report(customerId, { count: 500 });
  const { body } = await exportOf(customerId);
  t.equal(new Set(body.downloads.map(({ id }: { id: string }) => id)).size, 1500);
});

t.test('a customer with licences that are not revoked is erased only if told to', async (t) => {
  const { customerId, id, key } = await openCustomer();
  const before = JSON.stringify((await exportOf(customerId)).body.downloads);
  for (const action of ['suspend', 'reinstate'] as const) {
    await admin.post(`/license/keys/${id}/${action}`);
    t.match(await erase(customerId), { status: 409, body: { code: 'customer_has_licences', detail: new RegExp(id) } });
  }
  await controlPlane.expire(id);
  t.match(await erase(customerId, false), { status: 409 });
  t.equal(JSON.stringify((await exportOf(customerId)).body.downloads), before, 'nothing was removed');
  await admin.post(`/license/keys/${id}/revoke`);
  t.equal((await erase(customerId)).status, 200);
  t.match(await activate(key), { status: 403, body: { code: 'license_revoked' } });
  t.match(await erase(`nobody ${randomUUID()}`), { status: 404 });
});

t.test('erasure leaves nothing but what it says', async (t) => {
  const { customerId, label, id, key, domain, pending } = await openCustomer();
  const other = await openCustomer();
  const { status, body } = await erase(customerId, true);
  t.equal(status, 200);
  t.match(body, {
    customerId,
    removed: {
      installations: 1,
      activations: 1,
      warnings: 1,
      boxes: 2,
      domains: 1,
      downloads: 4,
      downloadsByDay: 2,
      downloadsInTotal: 2,
    },
    kept: exactly([
      { what: 'licences', count: 1, reason: /25 hours/ },
      { what: 'domains', count: 1, reason: /7 days/ },
      { what: 'journal', count: 1, reason: /hash/ },
      { what: 'erasure', count: 1, reason: /400 days/ },
    ]),
  });
  t.ok(body.removed.events > 0);
  t.strictSame(await tablesWith(customerId), ['journal']);
  t.strictSame(await tablesWith(label), []);
  t.strictSame(await tablesWith(pending), []);
  t.strictSame(await tablesWith(id), ['journal', 'license_keys']);
  t.strictSame(await tablesWith(domain), ['box_domains']);
  const { boxId } = await db('box_domains').where({ domain }).first('boxId');
  t.match(await db('boxes').where({ id: boxId }).first(), {
    name: boxId,
    backendUrl: 'https://erased.invalid',
    frontendUrl: null,
    hostingSecret: null,
    licenseId: null,
  });
  t.equal((await exportOf(customerId)).status, 404);
  t.equal((await admin.get(`/license/keys?customerId=${encodeURIComponent(customerId)}`)).body.items.length, 0);
  t.match(await deploy(key, 'first'), { status: 403, body: { code: 'license_revoked' } });

  const again = await erase(customerId, true);
  t.equal(again.status, 200);
  t.strictSame(new Set(Object.values(again.body.removed)), new Set([0]));
  t.match(again.body.kept, exactly([{ what: 'journal' }, { what: 'erasure' }]));

  const untouched = (await exportOf(other.customerId)).body;
  t.strictSame([untouched.downloads.length, untouched.boxes.length, untouched.licences[0].status], [4, 2, 'active']);
  t.match((await admin.get('/journal/verification')).body, { firstWrong: null });
  const { items } = (await admin.get('/journal?operationId=eraseCustomer&limit=1')).body;
  t.match(items, exactly([{ status: 200, change: JSON.stringify({ customerId, revoke: true }) }]));
});

t.test('tokens are refused until they have expired; then the licence is removed too', async (t) => {
  const { customerId, id, key, token } = await openCustomer();
  const storage = await mkdtemp(join(tmpdir(), 'erasure-test-'));
  const gate = await startRegistry({
    port: 0,
    host: '127.0.0.1',
    storage,
    publicUrl: registryUrl,
    controlPlaneUrl: controlPlane.url,
    registrySecret: controlPlane.options.registrySecret,
    publishSecret: controlPlane.options.publishSecret as string,
    withdrawalInterval: 20,
    log: () => {},
  });
  t.teardown(async () => {
    await gate.stop();
    await rm(storage, { recursive: true, force: true });
  });
  const pull = async () =>
    (await fetch(`${gate.localUrl}/${packageName('cart')}`, { headers: { authorization: `Bearer ${token}` } })).status;
  t.equal(await pull(), 404, 'the token is accepted; the package was not published');
  t.equal((await erase(customerId, true)).status, 200);
  while ((await pull()) === 404) await new Promise((resolve) => setTimeout(resolve, 20));
  t.equal(await pull(), 403);

  const withdrawn = async () =>
    (await registry.get('/license/withdrawals')).body.items.some(
      ({ licenseId }: { licenseId: string }) => licenseId === id,
    );
  const age = (hours: number) =>
    db('license_keys')
      .where({ id })
      .update({ erasedAt: db.raw('now() - make_interval(hours => ?)', [hours]) });
  await age(24);
  await removeLeftovers(db);
  t.ok(await withdrawn());
  await age(26);
  await removeLeftovers(db);
  t.strictSame(await tablesWith(id), ['journal']);
  t.match(await activate(key), { status: 401, body: { code: 'license_key_unknown' } });
});

t.test('a domain that was served is no longer, and rests; its box goes with it', async (t) => {
  const { customerId, domain } = await openCustomer();
  const other = await controlPlane.mint();
  const resolve = async () => (await visitor().get(`/boxes/resolve?host=${domain}`)).status;
  t.equal(await resolve(), 200);
  await erase(customerId, true);
  while ((await resolve()) === 200) await new Promise((resolve) => setTimeout(resolve, 20));
  t.equal(await resolve(), 404);
  t.match(await deploy(other.key, 'box', [domain]), { status: 409, body: { code: 'domain_taken' } });
  await removeLeftovers(db);
  t.equal(
    (
      await db('boxes')
        .whereNotNull('erasedAt')
        .where('id', (await db('box_domains').where({ domain }).first('boxId')).boxId)
    ).length,
    1,
  );
  t.equal((await admin.delete(`/boxes/domains/${domain}`)).status, 204);
  await removeLeftovers(db);
  t.equal((await deploy(other.key, 'box', [domain])).status, 200);
});

t.test('late reports of an erased customer are accepted and not stored, until the customer returns', async (t) => {
  const { customerId } = await openCustomer();
  await erase(customerId, true);
  const single = () =>
    registry.post('/telemetry/download', {
      customerId,
      tier: 'basic',
      packageName: packageName('cart'),
      outcome: 'allowed',
    });
  t.match(await single(), { status: 202, body: { accepted: true } });
  t.strictSame(await report(customerId, { count: 2 }), ['discarded', 'discarded']);
  await rollUpReports(db);
  t.strictSame(await tablesWith(customerId), ['journal']);

  await admin.post('/license/keys', { customerId, tier: 'basic' });
  t.strictSame(await report(customerId), ['discarded'], 'of a download before');
  t.strictSame(await report(customerId, { downloadedAt: new Date().toISOString() }), ['stored']);
  t.equal((await single()).status, 202);
  t.equal((await db('download_reports').where({ customerId })).length, 2);
  t.equal((await erase(customerId, true)).status, 200);
  t.strictSame(await report(customerId, { downloadedAt: new Date().toISOString() }), ['discarded']);
});

t.test(
  'a customer id that looks like an escape of JSON hinders neither its own export and erasure nor those of others',
  async (t) => {
    t.match(await admin.post('/license/keys', { customerId: 'half of a pair: \ud83d', tier: 'basic' }), {
      status: 400,
      body: { errors: exactly([{ pointer: '/customerId', detail: 'must not contain half of a surrogate pair' }]) },
    });
    const { customerId } = await controlPlane.mint('replaced: \ufffd, a backslash: \\ud83d');
    t.equal(customerId, 'replaced: \ufffd, a backslash: \\ud83d');
    const mints = ({ body }: { body: { journal: { operationId: string }[] } }) =>
      body.journal.filter(({ operationId }) => operationId === 'mintLicense').length;
    const exportOf = (id: string) => admin.get(`/customers/export?customerId=${encodeURIComponent(id)}`);
    t.equal(mints(await exportOf(customerId)), 1);
    const other = await controlPlane.mint();
    t.equal(mints(await exportOf(other.customerId)), 1);
    t.match(await erase(customerId, true), {
      status: 200,
      body: { kept: exactly([{ what: 'licences' }, { what: 'journal', count: 1 }, { what: 'erasure' }]) },
    });
  },
);

/**
 * Backup and restore of the control plane and the registry, by the commands of docs/operations.md as they are there, on
 * Debian's PostgreSQL and on the embedded one: nothing is missing, and the copy alone cannot sign tokens.
 */
import { execFile, spawn } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { connect, packageName } from '@carton/runtime/service';
import {
  type Caller,
  callerOf,
  exactly,
  freePort,
  missingPostgres,
  missingPrograms,
  temporaryFolder,
  until,
} from '@carton/runtime/testing';
import t, { type Test } from 'tap';
import { firstRelease } from '../../control-plane/test/release.ts';
import { initServer, programOfPostgres, version } from '../../tools/citus/server.ts';
import { root } from './support/stack.ts';

const run = promisify(execFile);
const skip = missingPostgres(version) || missingPrograms('rsync');

/** The blocks of commands in the section. */
const section = /^### Backup and restore\n([\s\S]*?)^###? /m.exec(
  (await readFile(join(root, 'docs/operations.md'), 'utf8')).replace(/^[\s\S]*?^## Control plane and registry$/m, ''),
)?.[1];
const blocks = [...(section ?? '').matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, commands]) => commands as string);
const [backUp, backUpEmbedded, restore, restoreEmbedded] = blocks as [string, string, string, string];
t.equal(blocks.length, 4, 'the section has four blocks of commands');

const runCommands = (commands: string, environment: Record<string, string>) =>
  run('bash', ['-euc', commands], { env: { PATH: process.env.PATH, ...environment } });

async function makeFolder(t: Test): Promise<string> {
  const folder = await temporaryFolder('control-plane-backup-');
  // The account of PostgreSQL enters it, if the tests run as root.
  await chmod(folder, 0o711);
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

interface Service {
  url: string;
  end(signal: NodeJS.Signals): Promise<void>;
}

/** Starts a file of the control plane's folder. @throws Error with its output if it exits before it listens */
async function start(t: Test, file: string, environment: Record<string, string>): Promise<Service> {
  const child = spawn(process.execPath, ['--conditions=workspace-source', join(root, 'control-plane', file)], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await ended;
  };
  t.teardown(() => end('SIGKILL'));
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  for await (const line of createInterface({ input: child.stdout })) {
    if (!/"(msg|message)":"[^"]*listening"/.test(line)) continue;
    child.stdout.resume();
    const { url, localUrl } = JSON.parse(line) as { url: string; localUrl?: string };
    return { url: localUrl ?? url, end };
  }
  await ended;
  throw new Error(output);
}

const secret = () => randomBytes(24).toString('hex');
const secrets = {
  ADMIN_SECRET: secret(),
  REGISTRY_SECRET: secret(),
  PUBLISH_SECRET: secret(),
  HOSTING_SECRET: secret(),
  SIGNING_KEY_SECRET: secret(),
};
const bearer = (url: string, value: string) => callerOf(url, { authorization: `Bearer ${value}` });

/** Sends a request that has to succeed. */
async function send(caller: Caller, path: string, body?: object, headers?: Record<string, string>) {
  const answer = await caller.call(body ? 'POST' : 'GET', path, { body, ...(headers && { headers }) });
  if (answer.status >= 300) throw new Error(`${path} returned ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Waits until the control plane has so many reports. */
const untilReported = (admin: Caller, count: number) =>
  until(
    () => send(admin, '/telemetry/downloads'),
    ({ items }) => items.length >= count,
  );

/** A row of everything that the vendor works with. Returns what was shown once. */
async function fill(url: string) {
  const admin = bearer(url, secrets.ADMIN_SECRET);
  await send(bearer(url, secrets.PUBLISH_SECRET), '/releases', firstRelease);
  const webhook = await send(admin, '/webhooks', { url: 'https://hooks.vendor.store/events' });
  const { key, id } = await send(admin, '/license/keys', { customerId: 'acme', tier: 'growth', label: 'Berlin' });
  const other = await send(admin, '/license/keys', { customerId: 'other', tier: 'basic' });
  await send(admin, `/license/keys/${other.id}/suspend`, {});
  const administrator = await send(admin, '/administrators', { name: 'ada@vendor.store', role: 'manager' });
  const box = { key, name: 'shop', backendUrl: 'https://192.0.2.1', domains: ['shop.example'] };
  await send(callerOf(url), '/boxes/deploy', box);
  const { hostingSecret } = await send(bearer(url, key), '/boxes/hosting-secret', { name: 'shop' });
  const installation = { 'installation-id': randomUUID(), 'installer-version': '0.2.0' };
  const { token } = await send(callerOf(url), '/license/activate', { key }, installation);
  await send(admin, '/signing-keys/rotate', {});
  return { id, key, token, hostingSecret, webhookSecret: webhook.secret, administratorSecret: administrator.secret };
}

/** All rows of all tables. */
async function contentsOf(url: string): Promise<Record<string, unknown[]>> {
  const db = connect({ url, poolSize: 1 });
  const { rows } = await db.raw(`select tablename as name from pg_tables where schemaname = 'public' order by 1`);
  const tables: [string, unknown[]][] = [];
  for (const { name } of rows) {
    const { rows: found } = await db.raw(`select to_jsonb(r) as row from ?? r order by to_jsonb(r)::text`, [name]);
    tables.push([name, found.map(({ row }: { row: unknown }) => row)]);
  }
  await db.destroy();
  return Object.fromEntries(tables);
}

async function publishWithNpm(folder: string, registryUrl: string): Promise<void> {
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: packageName('cart'), version: '1.0.0' }));
  const address = registryUrl.replace(/^http:/, '');
  await writeFile(
    join(folder, '.npmrc'),
    `registry=${registryUrl}/\n${address}/:_authToken=${secrets.PUBLISH_SECRET}\n`,
  );
  const env = { PATH: process.env.PATH, HOME: folder, npm_config_cache: join(folder, 'cache') };
  await run('npm', ['publish'], { cwd: folder, env });
}

async function download(registryUrl: string, token: string): Promise<string> {
  const path = `/${packageName('cart')}/-/cart-1.0.0.tgz`;
  const response = await fetch(registryUrl + path, { headers: { authorization: `Bearer ${token}` } });
  if (response.status !== 200) throw new Error(`the download returned ${response.status}`);
  return Buffer.from(await response.arrayBuffer()).toString('base64');
}

/** Stores provenance of a version for its tarball, as the publisher does. Returns what the registry then serves. */
async function storeProvenance(registryUrl: string, tarball: string): Promise<unknown> {
  const sha512 = createHash('sha512').update(Buffer.from(tarball, 'base64')).digest('hex');
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'cart', digest: { sha512 } }],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {},
  };
  const envelope = {
    payloadType: 'application/vnd.in-toto+json',
    payload: Buffer.from(JSON.stringify(statement)).toString('base64'),
    signatures: [{ keyid: 'key', sig: 'signature' }],
  };
  const publisher = bearer(registryUrl, secrets.PUBLISH_SECRET);
  const { status, body } = await publisher.call('PUT', provenancePath, { body: envelope });
  if (status !== 201) throw new Error(`the provenance returned ${status}: ${JSON.stringify(body)}`);
  return readProvenance(registryUrl);
}

const provenancePath = `/-/carton/v1/provenance/${packageName('cart')}@1.0.0`;

async function readProvenance(registryUrl: string): Promise<unknown> {
  const response = await fetch(registryUrl + provenancePath, {
    headers: { authorization: `Bearer ${secrets.PUBLISH_SECRET}` },
  });
  return { status: response.status, body: await response.text() };
}

t.test('control plane and registry, on a PostgreSQL server of Debian', { skip }, async (t) => {
  const folder = await makeFolder(t);
  const server = await initServer(folder, 'server', {});
  await server.start();
  t.teardown(() => server.stop());
  const createDatabase = async (name: string) => {
    const db = connect({ url: server.url(), poolSize: 1 });
    await db.raw('create database ??', [name]);
    await db.destroy();
    return server.url(name);
  };
  const before = { database: await createDatabase('before'), storage: join(folder, 'registry-before') };
  const after = { database: await createDatabase('after'), storage: join(folder, 'registry-after') };
  const BACKUP = join(folder, 'backup');
  await mkdir(BACKUP);
  const [registryPort, controlPort] = [await freePort(), await freePort()];
  const registryUrl = `http://127.0.0.1:${registryPort}`;
  const startControlPlane = (DATABASE_URL: string, change: Record<string, string> = {}) =>
    start(t, 'main.ts', {
      ...secrets,
      DATABASE_URL,
      REGISTRY_URL: registryUrl,
      CONTROL_PLANE_PORT: String(controlPort),
      ...change,
    });
  const startRegistry = (REGISTRY_STORAGE: string) =>
    start(t, 'registry/main.ts', {
      REGISTRY_SECRET: secrets.REGISTRY_SECRET,
      PUBLISH_SECRET: secrets.PUBLISH_SECRET,
      REGISTRY_STORAGE,
      REGISTRY_PORT: String(registryPort),
      CONTROL_PLANE_URL: `http://127.0.0.1:${controlPort}`,
    });

  const controlPlane = await startControlPlane(before.database);
  const shown = await fill(controlPlane.url);
  const registry = await startRegistry(before.storage);
  await publishWithNpm(join(folder, 'package'), registry.url);
  const tarball = await download(registry.url, shown.token);
  const provenance = await storeProvenance(registry.url, tarball);
  t.match(provenance, { status: 200 });
  const admin = bearer(controlPlane.url, secrets.ADMIN_SECRET);
  await untilReported(admin, 1);
  await controlPlane.end('SIGKILL');
  await download(registry.url, shown.token);
  await runCommands(backUp, { BACKUP, DATABASE_URL: before.database, REGISTRY_STORAGE: before.storage });
  await registry.end('SIGKILL');
  const contents = await contentsOf(before.database);
  await rm(before.storage, { recursive: true });

  await t.test('a dump shows no secret and no key that signs', async (t) => {
    const { stdout } = await run(programOfPostgres('pg_restore'), ['--file=-', join(BACKUP, 'control-plane.dump')]);
    t.match(stdout, shown.id);
    const { id, ...once } = shown;
    for (const value of [...Object.values(secrets), ...Object.values(once)]) t.notOk(stdout.includes(String(value)));
    t.match(stdout, /BEGIN ENCRYPTED PRIVATE KEY/);
    t.notMatch(stdout, /BEGIN (EC |RSA )?PRIVATE KEY/);
  });

  await t.test('after the restore every row is there', async (t) => {
    await runCommands(restore, { BACKUP, DATABASE_URL: after.database, REGISTRY_STORAGE: after.storage });
    t.strictSame(await contentsOf(after.database), contents);
    const filled = Object.entries(contents).flatMap(([name, rows]) => (rows.length > 0 ? name : []));
    for (const name of ['license_keys', 'events', 'journal', 'webhooks', 'download_reports', 'signing_keys', 'boxes']) {
      t.ok(filled.includes(name), `${name} has rows`);
    }
  });

  await t.test('the copy alone cannot sign', async (t) => {
    for (const SIGNING_KEY_SECRET of ['', secret()]) {
      await t.rejects(startControlPlane(after.database, { SIGNING_KEY_SECRET }), { message: /SIGNING_KEY_SECRET/ });
    }
  });

  await t.test('with its secret it continues, and the registry delivers what it had not', async (t) => {
    const { url } = await startControlPlane(after.database);
    const admin = bearer(url, secrets.ADMIN_SECRET);
    t.match(await send(admin, '/journal/verification'), {
      firstWrong: null,
      rows: contents.journal?.length,
    });
    t.match((await send(admin, '/license/keys')).items, exactly([{ status: 'suspended' }, { label: 'Berlin' }]));
    t.match((await send(admin, '/webhooks')).items, exactly([{ url: 'https://hooks.vendor.store/events' }]));
    t.equal((await send(admin, '/events?limit=100')).items.length, contents.events?.length);
    const hosting = bearer(url, secrets.HOSTING_SECRET);
    t.match(await send(hosting, '/boxes/hosting?host=shop.example'), { hostingSecret: shown.hostingSecret });
    t.equal((await send(bearer(url, shown.administratorSecret), '/license/keys')).items.length, 2);
    const again = await send(callerOf(url), '/license/activate', { key: shown.key });

    const restored = await startRegistry(after.storage);
    t.strictSame(await readProvenance(restored.url), provenance, 'it has the provenance of packages');
    t.equal(await download(restored.url, shown.token), tarball, 'with a token from before');
    t.equal(await download(restored.url, again.token), tarball);
    await untilReported(admin, 4);
    // The registry forgets what it has delivered once it has the answer.
    await until(
      () => readdir(join(after.storage, 'reports/ready')),
      (names) => names.length === 0,
    );
    const minted = await send(admin, '/license/keys', { customerId: 'later', tier: 'basic' });
    t.match((await send(admin, '/events?limit=1')).items, exactly([{ resource: { id: minted.id } }]));
  });
});

t.test('control plane on its embedded PostgreSQL', { skip }, async (t) => {
  const folder = await makeFolder(t);
  const environment = { BACKUP: join(folder, 'backup'), CONTROL_PLANE_HOME: join(folder, 'home') };
  await mkdir(environment.BACKUP);
  const settings = {
    ...secrets,
    ...environment,
    REGISTRY_URL: 'https://registry.vendor.store',
    CONTROL_PLANE_PORT: '0',
  };
  const before = await start(t, 'main.ts', settings);
  const { id, key } = await fill(before.url);
  await before.end('SIGTERM');
  await runCommands(backUpEmbedded, environment);
  await rm(environment.CONTROL_PLANE_HOME, { recursive: true });
  await runCommands(restoreEmbedded, environment);
  await t.rejects(start(t, 'main.ts', { ...settings, SIGNING_KEY_SECRET: '' }), { message: /SIGNING_KEY_SECRET/ });
  const { url } = await start(t, 'main.ts', settings);
  const admin = bearer(url, secrets.ADMIN_SECRET);
  t.match(await send(admin, `/license/keys/${id}`), { label: 'Berlin', status: 'active' });
  t.match(await send(admin, '/journal/verification'), { firstWrong: null });
  await send(callerOf(url), '/license/activate', { key });
});

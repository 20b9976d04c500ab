/**
 * The control plane as a process: settings, signals, crashes, and outages of the database.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect as connectSocket, createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packageName } from '@carton/runtime/service';
import { callerOf } from '@carton/runtime/testing';
import pg from 'pg';
import t, { type Test } from 'tap';
import { settings as allSettings } from '../config.ts';
import { startControlPlane } from '../index.ts';
import { run, settings } from './processes.ts';
import { makeDatabase, optionsFor } from './test-control-plane.ts';

const report = { customerId: 'c', tier: 'basic', packageName: packageName('cart'), outcome: 'allowed' };
const registry = (url: string) => callerOf(url, { authorization: `Bearer ${settings.REGISTRY_SECRET}` });

t.test('an invalid setting is reported in one line, with exit code 1', async (t) => {
  const { ended, output } = run(t, { ...settings, ADMIN_SECRET: 'short' });
  t.equal(await ended, 1);
  t.match(output(), /^the control plane cannot start: invalid setting: ADMIN_SECRET must [^\n]+\n$/);
});

t.test('--help lists the settings; another argument is refused with exit code 2', async (t) => {
  const help = run(t, {}, ['--help']);
  t.equal(await help.ended, 0);
  t.match(help.output(), /^Usage: npm run control-plane -- \[--help\]\n/);
  t.match(help.output(), /^ {2}ADMIN_SECRET \(required, or ADMIN_SECRET_FILE\)$/m);
  for (const name of Object.keys(allSettings)) t.match(help.output(), new RegExp(`^  ${name}\\b`, 'm'));
  const wrong = run(t, settings, ['--port', '1']);
  t.equal(await wrong.ended, 2);
  t.match(wrong.output(), /^Unknown option '--port'[^\n]*\n$/);
});

t.test('a database that does not respond is reported by the name of its setting', async (t) => {
  for (const host of ['127.0.0.1', 'localhost']) {
    const { ended, output } = run(t, { ...settings, DATABASE_URL: `postgres://${host}:1/control` });
    t.equal(await ended, 1);
    t.match(
      output(),
      /^the control plane cannot start: DATABASE_URL leads to no PostgreSQL server that responds: connect ECONNREFUSED [^\n]+\n$/m,
    );
  }
});

t.test('secrets in files are replaced without a restart; a wrong file is reported at the start', async (t) => {
  const { url: databaseUrl } = await makeDatabase(t);
  const folder = await mkdtemp(join(tmpdir(), 'control-plane-test-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const file = async (...lines: string[]) => {
    await writeFile(join(folder, 'new'), lines.join('\n'), { mode: 0o600 });
    await rename(join(folder, 'new'), join(folder, 'admin'));
  };
  const environment = {
    ...settings,
    DATABASE_URL: databaseUrl,
    ADMIN_SECRET: '',
    ADMIN_SECRET_FILE: join(folder, 'admin'),
  };
  const none = run(t, environment);
  t.equal(await none.ended, 1);
  t.match(
    none.output(),
    /cannot start: invalid setting: ADMIN_SECRET_FILE is a file that cannot be read \(there is none\)/,
  );

  const [former, next] = ['former-secret-of-the-tests', 'next-secret-of-the-tests'];
  await file(former);
  const { child, url, output } = run(t, environment);
  const statusOf = async (secret: string) =>
    (await callerOf(await url, { authorization: `Bearer ${secret}` }).get('/license/keys')).status;
  t.strictSame([await statusOf(former), await statusOf(next)], [200, 401]);
  await file(next, former);
  child.kill('SIGHUP');
  while ((await statusOf(next)) !== 200) await sleep(20);
  t.equal(await statusOf(former), 200);
  await file(next);
  while ((await statusOf(former)) !== 401) await sleep(100);
  t.equal(await statusOf(next), 200, 'a change is noticed without a signal');
  t.notMatch(output(), /-secret-of-the-tests/);
});

t.test('a port in use is reported in one line, with exit code 1', async (t) => {
  const { url } = await makeDatabase(t);
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  t.teardown(() => other.close());
  const { port } = other.address() as AddressInfo;
  const { ended, output } = run(t, {
    ...settings,
    DATABASE_URL: url,
    CONTROL_PLANE_PORT: String(port),
    LOG_LEVEL: 'silent',
  });
  t.equal(await ended, 1);
  t.match(output(), new RegExp(`^the control plane cannot start: port ${port} is already in use[^\\n]+\\n$`));
});

t.test('an accepted report survives SIGKILL; SIGTERM and SIGINT end the process with exit code 0', async (t) => {
  const { url: databaseUrl, db } = await makeDatabase(t);
  const environment = { ...settings, DATABASE_URL: databaseUrl };
  const key = randomUUID();
  const send = async (url: string) =>
    registry(url).post('/telemetry/download', report, { headers: { 'idempotency-key': key } });

  const first = run(t, environment);
  t.equal((await send(await first.url)).status, 202);
  first.child.kill('SIGKILL');
  t.equal(await first.ended, 'SIGKILL');
  t.equal((await db('download_reports')).length, 1);

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const next = run(t, environment);
    t.equal((await send(await next.url)).status, 202);
    next.child.kill(signal);
    t.equal(await next.ended, 0, signal);
    t.match(next.output(), /"msg":"stopping"/);
    t.notMatch(next.output(), new RegExp(`${settings.REGISTRY_SECRET}|${key}`), 'no secret is logged');
  }
  t.equal((await db('download_reports')).length, 1, 'it was sent three times and is stored once');
});

t.test('without DATABASE_URL, it starts an embedded database that keeps its data', async (t) => {
  const home = await mkdtemp(join(tmpdir(), 'control-plane-test-'));
  t.teardown(() => rm(home, { recursive: true, force: true }));
  const environment = { ...settings, CONTROL_PLANE_HOME: home };
  let publicKey: string | undefined;
  for (const _ of ['first', 'second']) {
    const { child, url, ended } = run(t, environment);
    const { body } = await callerOf(await url).get('/license/jwks');
    t.match(body.publicKey, publicKey ?? /BEGIN PUBLIC KEY/);
    publicKey = body.publicKey;
    child.kill('SIGTERM');
    t.equal(await ended, 0);
  }
});

t.test('the start warns of settings whose absence the vendor may not want', async (t) => {
  const { url: databaseUrl } = await makeDatabase(t);
  const warned: string[][] = [];
  const both = { NAMESERVERS: 'ns1.vendor.example', SIGNING_KEY_SECRET: 'a-secret-of-the-signing-keys' };
  for (const present of [{ NAMESERVERS: '', SIGNING_KEY_SECRET: '' }, both]) {
    const { url, child, ended, output } = run(t, { ...settings, DATABASE_URL: databaseUrl, ...present });
    await url;
    child.kill('SIGTERM');
    t.equal(await ended, 0);
    const warnings = output().matchAll(/"level":"?(?:warn|40)"?.*"msg":"(\w+) is not set: /g);
    warned.push(Array.from(warnings, ([, name = '']) => name));
  }
  t.strictSame(warned, [['SIGNING_KEY_SECRET', 'NAMESERVERS'], []]);
});

/** A TCP proxy to the database that can be closed and reopened. */
async function startDatabaseProxy(t: Test, databaseUrl: string) {
  const { host, port, user, password, database } = new pg.Client(databaseUrl);
  const target = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
  const sockets = new Set<Socket>();
  const server = createTcpServer((client) => {
    const upstream = connectSocket(target);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => sockets.delete(one));
    }
  });
  const open = async (at: number) => {
    server.listen(at, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const close = async () => {
    if (!server.listening) return;
    server.close();
    for (const socket of sockets) socket.destroy();
    await once(server, 'close');
  };
  const proxyPort = await open(0);
  t.teardown(close);
  const credential = [user, password]
    .filter(Boolean)
    .map((part) => encodeURIComponent(String(part)))
    .join(':');
  return {
    url: `postgres://${credential}@127.0.0.1:${proxyPort}/${database}?sslmode=disable`,
    close,
    reopen: () => open(proxyPort),
  };
}

t.test('during an outage of the database requests get 503, and are served again afterwards', async (t) => {
  const { url: databaseUrl, db } = await makeDatabase(t);
  const proxy = await startDatabaseProxy(t, databaseUrl);
  const options = optionsFor(proxy.url);
  const controlPlane = await startControlPlane(options);
  t.teardown(() => controlPlane.stop());
  const caller = callerOf(controlPlane.url, { authorization: `Bearer ${options.registrySecret}` });
  t.match(await caller.get('/health'), { status: 200, body: { status: 'ok', checks: { database: 'ok' } } });

  await proxy.close();
  for (const response of [await caller.post('/telemetry/download', report), await caller.get('/health')]) {
    t.match(response, { status: 503, body: { code: 'unavailable' } });
    t.ok(response.headers.get('retry-after'));
  }
  t.match(await caller.get('/health?probe=live'), { status: 200, body: { checks: { database: 'not_asked' } } });
  t.strictSame(await db('download_reports'), []);

  await proxy.reopen();
  t.equal((await caller.post('/telemetry/download', report)).status, 202);
  t.equal((await caller.get('/health')).status, 200);
});

// A storage that fails: clients get 503 and nothing is lost, the log says what to look at, and the metric grows by which the
// alert StorageFails of docs/prometheus-alerts.yml fires.

import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Registry, RegistryOptions } from '../index.ts';
import { makeFolder, openRegistry, send } from '../testing/index.ts';
import { startS3Service } from '../testing/s3-service.ts';
import { publishVersion, versionsOf } from './publications.ts';

const cart = '@carton/cart';
const tarball = '/@carton/cart/-/cart-1.0.0.tgz';
const metricsSecret = 'metrics-secret-of-the-tests';

const alerts = await readFile(new URL('../../../docs/prometheus-alerts.yml', import.meta.url), 'utf8');
/** The alert fires for a fault whose sum over all operations grows by more than the threshold in five minutes. */
const [, metric = '', threshold = ''] =
  /alert: StorageFails\n +expr: sum by \(instance, fault\) \(increase\((\w+)\[5m\]\)\) > (\d+)\n/.exec(alerts) ?? [];

/** The sum of the metric, by fault. */
async function faultsOf(registry: Registry): Promise<Record<string, number>> {
  const { body } = await send(registry, '/metrics', metricsSecret);
  const sums: Record<string, number> = {};
  for (const [, fault = '', value] of body.matchAll(new RegExp(`^${metric}\\{.*fault="(\\w+)".*\\} (\\d+)$`, 'gm'))) {
    sums[fault] = (sums[fault] ?? 0) + Number(value);
  }
  return sums;
}

type Logged = { level: string; message: string; fault?: unknown; advice?: unknown };

/** Starts a registry with one version; `logged` has what it says of its storage. */
async function start(t: Test, options: Pick<RegistryOptions, 'storage' | 'home'>) {
  const logged: Logged[] = [];
  const { registry, tokenOf } = await openRegistry(t, {
    metricsSecret,
    ...options,
    log: (level, message, fields = {}) => message !== 'request' && logged.push({ level, message, ...fields }),
  });
  t.match(await publishVersion(registry, cart, '1.0.0', 'content'), { status: 201 });
  t.strictSame([await faultsOf(registry), logged], [{}, []], 'a storage that works has no faults');
  const token = await tokenOf();
  return { registry, logged, token, pull: () => send(registry, tarball, token) };
}

/** Repeats a request that fails, and looks at the metric as Prometheus does: it knows a series from its first sample on. */
async function expectAlert(t: Test, registry: Registry, fault: string, fail: () => Promise<unknown>): Promise<void> {
  await fail();
  const { [fault]: first = Number.NaN, ...others } = await faultsOf(registry);
  t.strictSame(others, {});
  for (let times = 0; times <= Number(threshold); times++) await fail();
  const { [fault]: last = Number.NaN } = await faultsOf(registry);
  t.ok(last - first > Number(threshold), `${metric} has grown from ${first} to ${last}: more than ${threshold}`);
}

t.test('a bucket whose service goes away, and comes back', async (t) => {
  const service = await startS3Service(await makeFolder(t));
  t.teardown(() => service.kill());
  const { registry, logged, pull } = await start(t, { storage: service.settings, home: await makeFolder(t) });
  await service.kill();
  await expectAlert(t, registry, 'unreachable', async () => t.match(await pull(), { status: 503 }));
  t.match(logged[0], { level: 'error', message: 'the storage of packages fails', advice: /REGISTRY_S3_ENDPOINT/ });
  await service.start();
  t.match(await pull(), { status: 200, body: 'content' });
});

t.test('a folder whose files cannot be read, and then can', async (t) => {
  const storage = await makeFolder(t);
  const { registry, logged, pull } = await start(t, { storage });
  const packument = join(storage, 'packages', cart, 'package.json');
  await rename(packument, `${packument}.away`);
  await mkdir(packument);
  await expectAlert(t, registry, 'other', async () => {
    t.match(await pull(), { status: 503, headers: { 'retry-after': '5' }, body: /storage_unavailable/ });
  });
  t.match(await publishVersion(registry, cart, '1.1.0', 'content'), { status: 503 });
  t.equal(logged.length, 1, 'repetitions are not logged');
  t.match(logged[0], { level: 'error', message: 'the storage of packages fails', fault: 'other', advice: /EISDIR/ });
  await rmdir(packument);
  await rename(`${packument}.away`, packument);
  t.match(await pull(), { status: 200, body: 'content' });
  t.strictSame(await versionsOf(registry, cart), { versions: ['1.0.0'], wrong: [] });
});

const smallDisk = await makeFolder(t);
let skip: string | false = false;
try {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k,mode=0755', 'tmpfs', smallDisk], { stdio: 'pipe' });
  t.teardown(() => execFileSync('umount', ['--lazy', smallDisk]));
} catch (error) {
  skip = `no file system can be mounted here: ${(error as Error).message.split('\n')[1] ?? ''}`;
}

t.test('a folder on a full disk: nothing is published, packages are pulled', { skip }, async (t) => {
  const storage = smallDisk;
  const { registry, logged, pull } = await start(t, { storage, home: await makeFolder(t) });
  const filler = join(storage, 'filler');
  await writeFile(filler, Buffer.alloc(1024 ** 2)).catch(() => {});
  await expectAlert(t, registry, 'full', async () => {
    t.match(await publishVersion(registry, cart, '1.1.0', 'content'), {
      status: 503,
      body: { code: 'storage_unavailable' },
    });
  });
  t.match(logged[0], { level: 'error', message: 'the storage of packages fails', fault: 'full', advice: /no space/ });
  t.match(await pull(), { status: 200, body: 'content' });
  await rm(filler);
  t.match(await publishVersion(registry, cart, '1.1.0', 'content'), { status: 201 });
  t.strictSame(await versionsOf(registry, cart), { versions: ['1.0.0', '1.1.0'], wrong: [] });
});

t.test('a name that is too long for a file is one that nobody has published', async (t) => {
  const { registry, token } = await start(t, { storage: await makeFolder(t) });
  for (const path of [`/@carton/${'a'.repeat(300)}`, `/@carton/cart/-/cart-${'1'.repeat(300)}.tgz`]) {
    t.ok([400, 404].includes((await send(registry, path, token)).status), path);
  }
  t.strictSame(await faultsOf(registry), {}, 'a request for it raises no alert');
});

/**
 * One box through the tiers, and npm's own client at the gated registry: what a key entitles to is what there is.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { install, silent, stop } from '@carton/installer';
import { openDatabase } from '@carton/runtime/service';
import { callerOf, createTestDatabase, exactly, freePort } from '@carton/runtime/testing';
import t from 'tap';
import { compareDocuments } from '../changes/compare.ts';
import type { Change } from '../changes/findings.ts';
import { stackPlace, startStack } from './support/stack.ts';

const run = promisify(execFile);
const stack = await startStack(t, await stackPlace(t), '--tier', 'basic');
const mint = async (tier: string, customerId = `customer-${tier}`): Promise<string> =>
  (await stack.admin.post('/license/keys', { customerId, tier })).body.key;

interface Catalogue {
  packages: { name: string; version: string }[];
}

t.test('a running box goes from basic to growth and back', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'tiers-'));
  const data = await createTestDatabase('empty');
  const database = openDatabase({ url: data.url });
  const port = await freePort();
  t.teardown(async () => {
    await stop({ dir: folder }, silent);
    await database.close();
    await data.drop();
    await rm(folder, { recursive: true, force: true });
  });
  const use = (licenseKey: string) =>
    install(
      { dir: folder, licenseKey, controlPlaneUrl: stack.controlPlaneUrl, port, databaseUrlOfNewBox: data.url },
      silent,
    );
  const box = callerOf(`http://127.0.0.1:${port}`);
  const applied = () =>
    database.box.query<{ file: string; appliedAt: string }>(
      'select file, applied_at from applied_migrations order by applied_at, file',
    );
  const hasCollections = async () =>
    (await database.box.query<{ there: boolean }>("select to_regclass('collections') is not null as there"))[0]?.there;

  const basic = await mint('basic', 'customer-of-the-box');
  const growth = await mint('growth', 'customer-of-the-box');
  await use(basic);
  const first = await applied();
  t.equal((await box.get('/health')).body.tier, 'basic');
  t.match(await box.get('/collections'), { status: 404 });
  const before = (await box.get('/docs/json')).body;
  t.notOk(await hasCollections());

  await use(growth);
  const second = await applied();
  t.equal((await box.get('/health')).body.tier, 'growth');
  t.ok(await hasCollections(), 'the tables of the package bought later are there');
  const added = second.filter(({ file }) => !first.some((earlier) => earlier.file === file)).map(({ file }) => file);
  const newestBefore = first
    .map(({ file }) => file)
    .sort()
    .at(-1) as string;
  t.ok(
    added.length > 0 && added.every((file) => file < newestBefore),
    'though their time stamps are older than some applied',
  );
  const after = (await box.get('/docs/json')).body;
  t.ok('/collections' in after.paths);
  const breaking = (changes: Change[]) => changes.filter(({ level }) => level === 'breaking');
  t.strictSame(breaking(compareDocuments(before, after)), [], 'a client of the lower tier works with the higher');
  t.not(breaking(compareDocuments(after, before)).length, 0, 'and not the other way round');
  for (const path of ['/docs', '/docs/assets/explorer.js', '/docs/assets/swagger-ui-bundle.js']) {
    t.match(await box.get(path), { status: 200 }, `the installed engine serves ${path}`);
  }

  await stop({ dir: folder }, silent);
  await use(growth);
  t.strictSame(await applied(), second, 'a restart with nothing new applies nothing');

  await use(basic);
  t.equal((await box.get('/health')).body.tier, 'basic');
  t.ok(await hasCollections(), 'going back keeps the tables');
  t.strictSame(await applied(), second);
});

t.test("npm's own client at the gated registry", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'npm-client-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const host = stack.registryUrl.replace('http://', '//');
  const npmInstall = async (name: string, tier: string) => {
    const place = join(folder, `${tier}-${Math.random().toString(36).slice(2)}`);
    await mkdir(place, { recursive: true });
    const activation = await stack.controlPlane.post('/license/activate', { key: await mint(tier) });
    await writeFile(join(place, 'package.json'), '{"private":true}');
    await writeFile(
      join(place, '.npmrc'),
      `@carton:registry=${stack.registryUrl}\n${host}/:_authToken=${activation.body.token}\nomit-lockfile-registry-resolved=true\n`,
    );
    // A cache of its own, named here since the environment beats .npmrc: what is cached is not downloaded.
    return run('npm', ['install', '--no-audit', '--no-fund', '--cache', join(place, 'cache'), name], {
      cwd: place,
    }).then(
      async () => ({ ok: true, text: await readFile(join(place, 'package-lock.json'), 'utf8') }),
      (error) => ({ ok: false, text: String(error.stderr) }),
    );
  };
  const reports = async (filter: string) =>
    (await stack.admin.get(`/telemetry/downloads?limit=100&${filter}`)).body.items;
  const eventually = async (filter: string, wanted: (items: object[]) => boolean) => {
    let items = await reports(filter);
    while (!wanted(items)) {
      await sleep(200);
      items = await reports(filter);
    }
    return items;
  };

  const allowed = await npmInstall('@carton/cart', 'basic');
  t.ok(allowed.ok, allowed.text.slice(0, 500));
  t.match(allowed.text, /node_modules\/@carton\/runtime/, 'with everything it depends on');
  const refused = await npmInstall('@carton/collection', 'basic');
  t.notOk(refused.ok);
  t.match(refused.text, /growth/, "refused with the tier's name");
  // npm asks again for a tarball that was slow to come, so there may be more than one.
  await eventually('customerId=customer-basic&packageName=@carton/cart&outcome=allowed', (items) => items.length > 0);
  const denied = await eventually(
    'customerId=customer-basic&packageName=@carton/collection&outcome=denied',
    (items) => items.length > 0,
  );
  t.match(denied, exactly([{ tier: 'basic', outcome: 'denied' }]), 'both are in the download reports');

  const [pid] = await controlPlaneProcess(stack.home);
  const growthKey = await mint('growth', 'customer-late');
  const { token } = (await stack.controlPlane.post('/license/activate', { key: growthKey })).body;
  const { packages } = (await stack.controlPlane.get('/catalogue')).body as Catalogue;
  const { version } = packages.find(({ name }) => name === '@carton/collection') as Catalogue['packages'][number];
  process.kill(pid as number, 'SIGSTOP');
  const away = await fetch(`${stack.registryUrl}/@carton/collection/-/collection-${version}.tgz`, {
    headers: { authorization: `Bearer ${token}` },
  });
  t.equal(away.status, 200, 'with the control plane away, downloads go on');
  await away.arrayBuffer();
  process.kill(pid as number, 'SIGCONT');
  const late = await eventually(
    'customerId=customer-late&packageName=@carton/collection&outcome=allowed',
    (items) => items.length > 0,
  );
  t.equal(late.length, 1, 'and the report arrives later');
});

/** The control plane of a stack, by the folder in its environment. */
async function controlPlaneProcess(home: string): Promise<number[]> {
  const { stdout } = await run('pgrep', ['-f', 'control-plane/main.ts']);
  const pids = stdout.trim().split('\n').map(Number);
  const environments = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')));
  return pids.filter((_, index) => environments[index]?.includes(`CONTROL_PLANE_HOME=${home}`));
}

/**
 * What customers do with a key, at one vendor: a box changes its tier, npm's own client uses the gated registry, and the
 * stories of docs/stories happen in an installed box.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { install, silent, stop } from '@carton/installer';
import { openDatabase } from '@carton/runtime/service';
import { callerOf, createTestDatabase, exactly, freePort, processesWith } from '@carton/runtime/testing';
import t from 'tap';
import { compareDocuments } from '../release/changes/compare.ts';
import type { Change } from '../release/changes/findings.ts';
import { stackPlace, startStack } from './support/stack.ts';
import { testStories } from './support/stories.ts';

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
      {
        dir: folder,
        licenseKey,
        controlPlaneUrl: stack.controlPlaneUrl,
        port,
        databaseUrlOfNewBox: data.url,
        ownBackup: true,
      },
      silent,
    );
  // Each request has a connection of its own: open ones have one more response of the former release.
  const box = callerOf(`http://127.0.0.1:${port}`, { connection: 'close' });
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
  t.ok(await hasCollections(), 'the tables of the added package exist');
  const added = second.filter(({ file }) => !first.some((earlier) => earlier.file === file)).map(({ file }) => file);
  const newestBefore = first
    .map(({ file }) => file)
    .sort()
    .at(-1) as string;
  t.ok(
    added.some((file) => file < newestBefore),
    'also those with timestamps older than some applied ones',
  );
  const after = (await box.get('/docs/json')).body;
  t.ok('/collections' in after.paths);
  const breaking = (changes: Change[]) => changes.filter(({ level }) => level === 'breaking');
  t.strictSame(breaking(compareDocuments(before, after)), [], 'clients of the lower tier work with the higher one');
  t.not(breaking(compareDocuments(after, before)).length, 0, 'but not the reverse');
  for (const path of ['/docs', '/docs/assets/explorer.js', '/docs/assets/swagger-ui-bundle.js']) {
    t.match(await box.get(path), { status: 200 }, `the installed engine serves ${path}`);
  }

  await stop({ dir: folder }, silent);
  await use(growth);
  t.strictSame(await applied(), second, 'a restart with nothing new applies nothing');

  await use(basic);
  t.equal((await box.get('/health')).body.tier, 'basic');
  t.ok(await hasCollections(), 'the lower tier keeps the tables');
  t.strictSame(await applied(), second);
});

t.test("npm's own client at the gated registry", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'npm-client-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const host = stack.registryUrl.replace('http://', '//');
  const npmInstall = async (name: string, tier: string) => {
    const cwd = join(folder, `${tier}-${Math.random().toString(36).slice(2)}`);
    await mkdir(cwd, { recursive: true });
    const activation = await stack.controlPlane.post('/license/activate', { key: await mint(tier) });
    await writeFile(join(cwd, 'package.json'), '{"private":true}');
    await writeFile(
      join(cwd, '.npmrc'),
      `@carton:registry=${stack.registryUrl}\n${host}/:_authToken=${activation.body.token}\nomit-lockfile-registry-resolved=true\n`,
    );
    // A separate cache, as an option since the environment overrides .npmrc: cached packages are not downloaded.
    return run('npm', ['install', '--no-audit', '--no-fund', '--cache', join(cwd, 'cache'), name], {
      cwd,
    }).then(
      async () => ({ ok: true, text: await readFile(join(cwd, 'package-lock.json'), 'utf8') }),
      (error) => ({ ok: false, text: String(error.stderr) }),
    );
  };
  const reports = async (filter: string) =>
    (await stack.admin.get(`/telemetry/downloads?limit=100&${filter}`)).body.items;
  const eventually = async (filter: string, isExpected: (items: object[]) => boolean) => {
    let items = await reports(filter);
    while (!isExpected(items)) {
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
  t.match(refused.text, /growth/, 'rejected with the name of the tier');
  // npm retries slow downloads, so there may be more than one report.
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
  t.equal(away.status, 200, 'downloads continue while the control plane is down');
  await away.arrayBuffer();
  process.kill(pid as number, 'SIGCONT');
  const late = await eventually(
    'customerId=customer-late&packageName=@carton/collection&outcome=allowed',
    (items) => items.length > 0,
  );
  t.equal(late.length, 1, 'and the report arrives later');
});

t.test('stories', (t) => testStories(t, stack));

/** Finds the control plane of a stack by the folder in its environment. */
async function controlPlaneProcess(home: string): Promise<number[]> {
  const pids = processesWith('control-plane/main.ts').map(({ pid }) => pid);
  const environments = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')));
  return pids.filter((_, index) => environments[index]?.includes(`CONTROL_PLANE_HOME=${home}`));
}

/**
 * A box with several workers under its supervisor: commands, crashes and replacements concern all of them.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { findProcesses } from '../box/process-table.ts';
import { findRunningBox } from '../box/running.ts';
import { defaultWorkers } from '../supervisor/worker-count.ts';
import { scope } from '../vendor.ts';
import { key, list, makeBox, type TestBox, until } from './support/box.ts';
import { type Behaviour, handsOver, hasWorkers, makeRuntime } from './support/packages.ts';
import { startVendor } from './support/vendor.ts';

const publish = (version: string, behaviour: Behaviour = 'healthy', more: Record<string, unknown> = hasWorkers) =>
  vendor.packages.set(`${scope}/runtime`, makeRuntime(version, behaviour, more));
const vendor = await startVendor([makeRuntime('0.1.0', 'healthy', hasWorkers)], {
  [key]: { tier: 'basic', packages: [`${scope}/runtime`] },
});
t.teardown(() => vendor.close());
t.beforeEach(() => void publish('0.1.0'));

const mebibyte = 2 ** 20;

t.test('one worker for each core, if there is memory for it', async (t) => {
  const rows: [cores: number, memory: number, workers: number][] = [
    [2, 4096, 2],
    [8, 1024, 4],
    [8, 512, 2],
    [1, 64 * 1024, 1],
    [4, 200, 1],
    [256, 1024 * 1024, 64],
  ];
  for (const [cores, memory, workers] of rows) {
    t.equal(defaultWorkers(cores, memory * mebibyte), workers, `${cores} cores, ${memory} MiB`);
  }
});

/** Installs a box with a number of workers, and starts it. */
async function startBox(t: Test, workers: string): Promise<TestBox> {
  const box = await makeBox(t, vendor);
  t.match(await box.install(['--no-start']), { exitCode: 0 });
  await writeFile(box.folder.secrets, `${await readFile(box.folder.secrets, 'utf8')}WORKERS=${workers}\n`);
  t.match(await box.run(['start', '--json']), { exitCode: 0 });
  await until(async () => (await serving(box)) === workers || workers === '1');
  return box;
}

async function processesOf(box: TestBox): Promise<number[]> {
  const isOurs = (words: string[]) => words.some((word) => word.endsWith('/dist/main.js'));
  return (await findProcesses(isOurs, `BOX_HOME=${box.dir}`)).map(({ pid }) => pid).sort((one, other) => one - other);
}

async function statusOf(box: TestBox) {
  const { end } = await box.run(['status', '--json']);
  return end.result as { workers?: number; pid?: number; healthy?: boolean };
}

/** The number of workers that respond to new connections, one after another, as text. */
async function serving(box: TestBox): Promise<string> {
  const found = new Set<string>();
  for (let call = 0; call < 40; call++) found.add((await ask(box.port)).worker);
  return String(found.size);
}

function ask(port: number): Promise<{ worker: string; version: string }> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: '/health', agent: false }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      const { environment, version } = JSON.parse(Buffer.concat(chunks).toString());
      resolve({ worker: environment.SUPERVISOR_WORKER, version });
    }).once('error', reject);
  });
}

t.test('start, restart, an upgrade that fails, and stop', async (t) => {
  const box = await startBox(t, '3');
  t.match(await statusOf(box), { workers: 3, healthy: true });
  const first = await processesOf(box);
  t.equal(first.length, 3);

  let open = true;
  const failures: unknown[] = [];
  const client = (async () => {
    while (open) {
      await ask(box.port).catch((error) => failures.push(error));
      await sleep(3);
    }
  })();
  t.match(await box.run(['restart', '--json']), { exitCode: 0 });
  t.match(await statusOf(box), { workers: 3 }, 'all serve when the command ends');
  await until(async () => (await processesOf(box)).length === 3);
  const second = await processesOf(box);
  t.strictSame(
    first.filter((pid) => second.includes(pid)),
    [],
    'the old ones have ended',
  );
  publish('0.2.0', 'exits immediately');
  t.match(await box.install(), { exitCode: 18 });
  t.strictSame(await processesOf(box), second, 'those that serve have not changed');
  publish('0.3.0');
  t.match(await box.install(), { exitCode: 0 });
  await until(async () => (await processesOf(box)).length === 3);
  t.match(await ask(box.port), { version: '0.3.0' });
  open = false;
  await client;
  t.strictSame(failures, []);

  t.match(await box.run(['stop', '--json']), { exitCode: 0 });
  t.strictSame(await processesOf(box), []);
  t.strictSame(await list(box.folder.run), []);
});

t.test('workers that are killed', async (t) => {
  const box = await startBox(t, '3');
  const all = await processesOf(box);
  const leader = (await findRunningBox(box.folder))?.pid as number;
  const others = all.filter((pid) => pid !== leader);
  const [killed, left] = others as [number, number];
  process.kill(killed, 'SIGKILL');
  await until(async () => (await serving(box)) === '3');
  t.notOk((await processesOf(box)).includes(killed));
  t.equal((await findRunningBox(box.folder))?.pid, leader, 'the leader has not changed');

  process.kill(leader, 'SIGKILL');
  await until(async () => ![undefined, leader].includes((await findRunningBox(box.folder))?.pid));
  await until(async () => (await serving(box)) === '3');
  t.ok((await processesOf(box)).includes(left), 'a leader that is started again finds the others');
  t.match(await statusOf(box), { workers: 3 });

  const supervisor = (await findRunningBox(box.folder))?.parent?.pid as number;
  process.kill(supervisor, 'SIGKILL');
  await until(async () => (await processesOf(box)).length === 1);
  t.match(await statusOf(box), { workers: 1, healthy: true }, 'the leader serves on alone');
  t.match(await box.run(['restart', '--json']), { exitCode: 0 });
  await until(async () => (await serving(box)) === '3');
  t.equal((await processesOf(box)).length, 3, 'a command takes it over');

  const paused = (await findRunningBox(box.folder))?.pid as number;
  process.kill(paused, 'SIGKILL');
  t.match(await box.run(['stop', '--json']), { exitCode: 0 }, 'while the leader does not run');
  t.strictSame(await processesOf(box), []);
});

t.test('a single worker', async (t) => {
  const box = await startBox(t, '1');
  t.equal((await processesOf(box)).length, 1);
  t.match(await statusOf(box), { workers: 1 });
  t.equal((await ask(box.port)).worker, undefined);
  publish('0.2.0', 'healthy', handsOver);
  await writeFile(box.folder.secrets, `${await readFile(box.folder.secrets, 'utf8')}WORKERS=3\n`);
  t.match(await box.install(), { exitCode: 0 });
  await until(async () => (await processesOf(box)).length === 1);
  t.equal((await ask(box.port)).worker, undefined, 'also of a release that does not support several');
});

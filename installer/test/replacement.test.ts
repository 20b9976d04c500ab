/**
 * Replacing a box without a gap: clients that connect all the time, and one that keeps its connection, notice neither a
 * restart, an upgrade, a change of the port, nor a new box that fails.
 */
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { exactly, freePort, temporaryFolder } from '@carton/runtime/testing';
import t, { type Test } from 'tap';
import { exchangeBox } from '../box/exchange.ts';
import { findProcesses, identify } from '../box/process-table.ts';
import { findRunningBox } from '../box/running.ts';
import { readyToLaunch } from '../commands/start/start.ts';
import { silent } from '../output/output.ts';
import { scope } from '../vendor.ts';
import { key, list, makeBox, type TestBox, until } from './support/box.ts';
import { type Behaviour, handsOver, makeRuntime } from './support/packages.ts';
import { startVendor } from './support/vendor.ts';

const publish = (version: string, behaviour?: Behaviour, more: Record<string, unknown> = handsOver) =>
  vendor.packages.set(`${scope}/runtime`, makeRuntime(version, behaviour, more));
const first = makeRuntime('0.1.0', 'healthy', handsOver);
const vendor = await startVendor([first], { [key]: { tier: 'basic', packages: [`${scope}/runtime`] } });
t.teardown(() => vendor.close());
t.beforeEach(() => {
  vendor.packages.set(`${scope}/runtime`, first);
});

interface Clients {
  /** Ends the clients. @returns what went wrong, and the versions that responded */
  end(): Promise<{ failures: string[]; versions: string[] }>;
}

/** Connects again and again, and sends requests on one connection that stays open. */
function connectTo(t: Test, port: number): Clients {
  const failures: string[] = [];
  const versions = new Set<string>();
  let open = true;
  t.teardown(() => {
    open = false;
  });
  const client = async (agent: Agent | undefined, pause: number) => {
    // The last request begins after the end was asked for: it reaches the box of that moment.
    for (let isLast = false; !isLast; ) {
      isLast = !open;
      const answer = await ask(port, agent);
      if ('version' in answer) versions.add(answer.version);
      else failures.push(answer.error);
      await sleep(pause);
    }
    agent?.destroy();
  };
  const kept = [3, 40].map((pause) => client(new Agent({ keepAlive: true, maxSockets: 1 }), pause));
  const all = Promise.all([client(undefined, 3), ...kept]);
  return {
    async end() {
      open = false;
      await all;
      return { failures, versions: [...versions] };
    },
  };
}

function ask(port: number, agent: Agent | undefined): Promise<{ version: string } | { error: string }> {
  return new Promise((resolve) => {
    const sent = get({ host: '127.0.0.1', port, path: '/health', agent: agent ?? false }, async (response) => {
      const chunks: Buffer[] = [];
      response.on('error', (error) => resolve({ error: error.message }));
      for await (const chunk of response) chunks.push(chunk);
      resolve(JSON.parse(Buffer.concat(chunks).toString()));
    });
    sent.on('error', (error: NodeJS.ErrnoException) => resolve({ error: error.code ?? error.message }));
  });
}

/** Sends a request that the box does not complete, and waits until its response begins. */
async function hold(t: Test, port: number): Promise<void> {
  const sent = get({ host: '127.0.0.1', port, path: '/held', agent: false });
  sent.on('error', () => undefined);
  t.teardown(() => sent.destroy());
  const [response] = await once(sent, 'response');
  response.on('error', () => undefined);
}

const supervisorOf = async (box: TestBox) => (await findRunningBox(box.folder))?.parent?.pid;

t.test('a restart and an upgrade', async (t) => {
  for (const run of ['background', 'foreground']) {
    const box = await makeBox(t, vendor);
    publish('0.1.0');
    await box.install(run === 'foreground' ? ['--no-start'] : []);
    if (run === 'foreground') await box.begin(['start', '--foreground', '--json']).printed('"event":"healthy"');
    const supervisor = await supervisorOf(box);
    const clients = connectTo(t, box.port);
    const before = await findRunningBox(box.folder);
    t.match(await box.run(['restart', '--json']), { exitCode: 0 });
    t.not((await findRunningBox(box.folder))?.pid, before?.pid, 'another process serves');
    publish('0.2.0');
    t.match(await box.install(), { exitCode: 0 });
    t.strictSame(await clients.end(), { failures: [], versions: ['0.1.0', '0.2.0'] }, run);
    t.equal(await supervisorOf(box), supervisor, 'under the same supervisor');
    t.match(await box.run(['stop', '--json']), { exitCode: 0 });
    t.strictSame(await list(box.folder.run), []);
    t.match(await box.run(['start', '--json']), { exitCode: 0 }, 'the port is free at once');
  }
});

t.test('a stop soon after an upgrade ends the former box first: the new one stops the database', async (t) => {
  for (const run of ['background', 'foreground']) {
    const box = await makeBox(t, vendor);
    publish('0.1.0');
    await box.install(run === 'foreground' ? ['--no-start'] : []);
    const foreground = run === 'foreground' ? box.begin(['start', '--foreground', '--json']) : undefined;
    let printed = '';
    foreground?.child.stdout?.on('data', (chunk) => (printed += chunk));
    await foreground?.printed('"event":"healthy"');
    // A connection without a request keeps the former box.
    const connection = connect(box.port, '127.0.0.1');
    await once(connection, 'connect');
    await ask(box.port, undefined);
    publish('0.2.0');
    t.match(await box.install(), { exitCode: 0 });
    t.equal((await processesOf(box)).length, 2, run);
    if (foreground) foreground.child.kill('SIGTERM');
    else t.match(await box.run(['stop', '--json']), { exitCode: 0 });
    await foreground?.ended;
    const output = foreground ? printed : await readFile(box.folder.log, 'utf8');
    t.strictSame(output.match(/exited as .*/g), ['exited as 0.1.0', 'exited as 0.2.0']);
    connection.destroy();
  }
});

t.test('so does an upgrade with a gap', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install();
  await hold(t, box.port);
  publish('0.2.0');
  t.match(await box.install(), { exitCode: 0 });
  t.equal((await processesOf(box)).length, 2);
  publish('0.3.0', 'healthy', {});
  t.match(await box.install(), { exitCode: 0 });
  t.match(await box.ask(), { version: '0.3.0' });
  t.strictSame((await readFile(box.folder.log, 'utf8')).match(/exited as .*/g), ['exited as 0.1.0', 'exited as 0.2.0']);
});

t.test('no process of the box is left while its data may change', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install();
  await hold(t, box.port);
  publish('0.2.0');
  t.match(await box.install(), { exitCode: 0 });
  t.equal((await processesOf(box)).length, 2);
  const launch = await readyToLaunch(box.folder);
  let left: number | undefined;
  const steps = {
    async stopped() {
      left = (await processesOf(box)).length;
    },
    passed: async () => undefined,
    failed: async () => true,
  };
  const exchange = { running: await findRunningBox(box.folder), old: launch, new: launch, steps };
  await exchangeBox(box.folder, exchange, silent, { healthSeconds: 30, stopSeconds: 30 });
  t.equal(left, 0);
  t.match(await box.ask(), { version: '0.2.0' });
});

t.test('a former box that completes its requests is not taken for one that serves', async (t) => {
  const box = await makeBox(t, vendor);
  const { end } = await box.install();
  await hold(t, box.port);
  publish('0.2.0', 'needs space');
  t.match(await box.install(), { exitCode: 0 });
  const full = join(box.folder.logs, 'full');
  await writeFile(full, '');
  process.kill((await findRunningBox(box.folder))?.pid as number, 'SIGKILL');
  await until(async () => (await findRunningBox(box.folder)) === undefined);
  await until(async () => (await box.run(['status', '--json'])).exitCode === 13);
  t.ok(
    (await processesOf(box)).some(({ pid }) => pid === end.result?.pid),
    'the former box still runs',
  );
  await rm(full);
  t.match(await box.run(['start', '--json']), { exitCode: 0 });
  t.match(await box.ask(), { version: '0.2.0' });
});

t.test('a new box that fails', async (t) => {
  const box = await makeBox(t, vendor);
  const { end: installed } = await box.install();
  const clients = connectTo(t, box.port);
  for (const behaviour of ['exits immediately', 'breaks its products', 'never healthy'] as const) {
    publish('0.2.0', behaviour);
    const { exitCode, end } = await box.install(['--health-timeout', '2']);
    t.match({ exitCode, end }, { exitCode: 18, end: { error: { code: 'taken_back', restored: true } } }, behaviour);
    t.match(end.error?.message, /the previous box, release \w+, has served all the time/);
    t.equal((await findRunningBox(box.folder))?.pid, installed.result?.pid, 'the old process has never stopped');
  }
  t.strictSame(await clients.end(), { failures: [], versions: ['0.1.0'] });
  t.equal((await processesOf(box)).length, 1, 'no other process is left');
});

t.test('a command that is killed in between', async (t) => {
  const box = await makeBox(t, vendor);
  const { end } = await box.install();
  publish('0.2.0', 'never healthy');
  const clients = connectTo(t, box.port);
  const upgrade = box.beginInstall();
  await until(async () => (await processesOf(box)).length === 2);
  upgrade.child.kill('SIGKILL');
  await once(upgrade.child, 'close');
  await until(async () => (await processesOf(box)).length === 1);
  t.equal((await findRunningBox(box.folder))?.pid, end.result?.pid);
  publish('0.3.0');
  t.match(await box.install(), { exitCode: 0 });
  t.strictSame(await clients.end(), { failures: [], versions: ['0.1.0', '0.3.0'] });
});

t.test('a supervisor that is killed in between leaves one box, which serves', async (t) => {
  const box = await makeBox(t, vendor);
  const { end } = await box.install();
  publish('0.2.0', 'never healthy');
  const clients = connectTo(t, box.port);
  const upgrade = box.beginInstall();
  await until(async () => (await processesOf(box)).length === 2);
  process.kill((await supervisorOf(box)) as number, 'SIGKILL');
  t.match(await upgrade.ended, { exitCode: 18 });
  t.strictSame(
    (await processesOf(box)).map(({ pid }) => pid),
    [end.result?.pid],
  );
  t.strictSame(await clients.end(), { failures: [], versions: ['0.1.0'] });
});

t.test('another port: the old one serves until the new one does, or if the new one is taken', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install();
  const clients = connectTo(t, box.port);
  const settings = JSON.parse(await readFile(box.folder.settings, 'utf8'));
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  t.teardown(() => other.close());
  const { port: taken } = other.address() as { port: number };
  await writeFile(box.folder.settings, JSON.stringify({ ...settings, port: taken }));
  t.match(await box.run(['restart', '--json']), { exitCode: 9, end: { error: { message: /already in use/ } } });
  t.strictSame(await clients.end(), { failures: [], versions: ['0.1.0'] });
  const free = await freePort();
  await writeFile(box.folder.settings, JSON.stringify({ ...settings, port: free }));
  t.match(await box.run(['restart', '--json']), { exitCode: 0 });
  t.match(await ask(free, undefined), { version: '0.1.0' });
  t.match(await ask(box.port, undefined), { error: 'ECONNREFUSED' });
});

t.test('connections wait while a box that has crashed is started again', async (t) => {
  const box = await makeBox(t, vendor);
  const { end } = await box.install();
  const clients = connectTo(t, box.port);
  await sleep(100);
  process.kill(end.result?.pid as number, 'SIGKILL');
  await until(
    async () => (await findRunningBox(box.folder))?.pid !== end.result?.pid && (await box.ask()) !== undefined,
  );
  const { failures } = await clients.end();
  t.match(failures, exactly(failures.map(() => /ECONNRESET|socket hang up/)), 'only requests in flight fail');
  t.ok(failures.length <= 3, `${failures.length} of 3 clients`);
});

t.test('a release of before replaces one that hands over, and the reverse, with a gap', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install();
  const supervisor = await supervisorOf(box);
  publish('0.2.0', 'healthy', {});
  t.match(await box.install(), { exitCode: 0 });
  t.match(await box.ask(), { version: '0.2.0' });
  publish('0.3.0');
  t.match(await box.install(), { exitCode: 0 });
  t.match(await box.ask(), { version: '0.3.0' });
  t.equal(await supervisorOf(box), supervisor);
  t.equal((await processesOf(box)).length, 1);
});

t.test('a folder whose path is longer than that of a socket may be', async (t) => {
  const parent = join(await temporaryFolder('deep-'), 'a'.repeat(90));
  await mkdir(parent);
  t.teardown(() => rm(dirname(parent), { recursive: true, force: true }));
  const box = await makeBox(t, vendor, parent);
  await box.install();
  const clients = connectTo(t, box.port);
  t.match(await box.run(['restart', '--json']), { exitCode: 0 });
  t.strictSame(await clients.end(), { failures: [], versions: ['0.1.0'] });
});

/** The processes of a box, without its supervisor. */
async function processesOf(box: TestBox) {
  const found = await findProcesses(
    (words) => words.some((word) => word.endsWith('/dist/main.js')),
    `BOX_HOME=${box.dir}`,
  );
  const alive = await Promise.all(found.map(async ({ pid }) => ((await identify(pid)) ? [{ pid }] : [])));
  return alive.flat();
}

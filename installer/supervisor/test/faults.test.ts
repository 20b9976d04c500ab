/**
 * What a supervisor cannot read or write: it ends, refuses or tries again, says why, and leaves no process that nobody knows.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { type Answer, openReplacement, type Replacement } from '../../box/control.ts';
import { findProcesses, identify, isAlive } from '../../box/process-table.ts';
import { findRunningBox, type RunningBox } from '../../box/running.ts';
import { readyToLaunch } from '../../commands/start/start.ts';
import { key, list, makeBox, type TestBox, until } from '../../test/support/box.ts';
import { commandFile } from '../../test/support/command.ts';
import { handsOver, makeRuntime } from '../../test/support/packages.ts';
import { startVendor } from '../../test/support/vendor.ts';
import { scope } from '../../vendor.ts';

const vendor = await startVendor([makeRuntime('0.1.0', 'healthy', handsOver)], {
  [key]: { tier: 'basic', packages: [`${scope}/runtime`] },
});
t.teardown(() => vendor.close());

/** Installs a box and runs it in the foreground. */
async function foreground(t: Test) {
  const box = await makeBox(t, vendor);
  await box.install(['--no-start']);
  const parent = box.begin(['start', '--foreground', '--json']);
  await parent.printed('"event":"healthy"');
  return { box, parent, running: (await findRunningBox(box.folder)) as RunningBox };
}

/** What has happened within a while; undefined for what a process that is left keeps from ending. */
function soon<T>(ended: Promise<T>): Promise<T | undefined> {
  return Promise.race([ended, sleep(20_000, undefined, { ref: false })]);
}

/** Whether another process than the former one becomes that of the box within a while. */
async function isStartedAgain({ folder }: TestBox, former?: number): Promise<boolean> {
  for (let tries = 0; tries < 400; tries++) {
    if (![undefined, former].includes((await findRunningBox(folder))?.pid)) return true;
    await sleep(50);
  }
  return false;
}

async function processesOf(box: TestBox): Promise<number[]> {
  const isOurs = (words: string[]) => words.some((word) => word.endsWith('/dist/main.js'));
  const found = await findProcesses(isOurs, `BOX_HOME=${box.dir}`);
  const alive = await Promise.all(found.map(async ({ pid }) => ((await identify(pid)) ? [pid] : [])));
  return alive.flat();
}

t.test('a launch queue that is no JSON', async (t) => {
  const { box, parent, running } = await foreground(t);
  await writeFile(box.folder.launchQueue, '{');
  process.kill(running.pid, 'SIGKILL');
  const ended = await soon(parent.ended);
  t.match(ended, { exitCode: 1, end: { event: 'result', exitCode: 1 } });
  t.match(ended?.events.at(-2), { event: 'warning', message: /^the box cannot be started: .*JSON/ });
  t.strictSame(await list(box.folder.run), ['next.json'], 'its sockets are removed');
});

t.test('a PID file that cannot be written, at the first start and at one after a crash', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install(['--no-start']);
  await mkdir(`${box.folder.pid}/in-the-way`, { recursive: true });
  const refused = await soon(box.run(['start', '--foreground', '--json']));
  t.match(refused, { exitCode: 1, end: { error: { message: /box\.pid/ } } });
  t.strictSame(await processesOf(box), []);

  const { parent, running, ...crashed } = await foreground(t);
  process.kill(running.pid, 'SIGKILL');
  await until(async () => !(await list(crashed.box.folder.run)).includes('box.pid'));
  await mkdir(`${crashed.box.folder.pid}/in-the-way`, { recursive: true });
  await soon(parent.printed('the box cannot be started: '));
  await soon(parent.printed('restarting it in 1000 ms'));
  t.match(await crashed.box.run(['status', '--json']), { end: { result: { running: false, restarting: true } } });
  await rm(crashed.box.folder.pid, { recursive: true });
  t.ok(await isStartedAgain(crashed.box), 'once that is possible');
  t.equal((await processesOf(crashed.box)).length, 1);
  parent.child.kill('SIGTERM');
  t.match(await soon(parent.ended), { exitCode: 0 });
  t.strictSame(await processesOf(crashed.box), []);
});

t.test('a line of the supervisor that cannot be written, in the background and in the foreground', async (t) => {
  for (const word of ['supervise', 'start']) {
    const box = await makeBox(t, vendor);
    await box.install(['--no-start']);
    const isForeground = word === 'start';
    const output = isForeground ? 'pipe' : openSync('/dev/full', 'w');
    const options = isForeground ? ['--foreground', '--json'] : [];
    const parent = spawn(process.execPath, [commandFile, word, '--dir', box.dir, ...options], {
      env: { PATH: process.env.PATH, HOME: box.dir },
      stdio: ['pipe', output, output],
    });
    const ended = once(parent, 'exit');
    t.teardown(() => parent.kill('SIGKILL'));
    parent.stdin?.end(isForeground ? '' : JSON.stringify(await readyToLaunch(box.folder)));
    await until(async () => (await box.ask()) !== undefined);
    if (isForeground) {
      // As a terminal that is closed, once the command has found the box healthy.
      let written = '';
      for await (const chunk of parent.stdout as Readable) {
        written += chunk;
        if (written.includes('the box is running at')) break;
      }
      parent.stderr?.destroy();
    }
    const first = (await findRunningBox(box.folder)) as RunningBox;
    const session = (await openReplacement(box.folder, first)) as Replacement;
    session.send({ request: 'healthy' });
    t.match(await session.next(), { answer: 'restartsIt' });
    session.end();
    process.kill(first.pid, 'SIGKILL');
    t.ok(await isStartedAgain(box, first.pid), word);
    t.match(await findRunningBox(box.folder), { supervised: true, parent: { pid: parent.pid } }, word);
    parent.kill('SIGTERM');
    t.strictSame(await soon(ended), [0, null], word);
    t.strictSame(await processesOf(box), []);
  }
});

t.test('a PID file that cannot be written at a replacement: the former box serves on', async (t) => {
  const { box, parent, running } = await foreground(t);
  const launch = await readyToLaunch(box.folder);
  const replacement = (await openReplacement(box.folder, running)) as Replacement;
  replacement.send({ request: 'switch', launch });
  const started = (await replacement.next()) as Extract<Answer, { answer: 'started' }>;
  t.equal(started.answer, 'started');
  await rm(box.folder.pid);
  await mkdir(`${box.folder.pid}/in-the-way`, { recursive: true });
  replacement.send({ request: 'serve' });
  t.match(await replacement.next(), { answer: 'failed', reason: /box\.pid/ });
  replacement.end();
  await soon(until(async () => !(await isAlive(started.box))));
  t.strictSame(await processesOf(box), [running.pid]);
  t.match(await box.ask(), { version: '0.1.0' });

  await rm(box.folder.pid, { recursive: true });
  process.kill(running.pid, 'SIGKILL');
  await soon(until(async () => ![undefined, running.pid].includes((await findRunningBox(box.folder))?.pid)));
  parent.child.kill('SIGTERM');
  t.match(await soon(parent.ended), { exitCode: 0 }, 'and it is still supervised');
});

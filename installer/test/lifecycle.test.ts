/**
 * `start`, `stop` and `status` on an installed box.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@carton/runtime/testing';
import t from 'tap';
import { releaseEntry } from '../box/folder.ts';
import { identify } from '../box/process-table.ts';
import { findRunningBox } from '../box/running.ts';
import { scope } from '../vendor.ts';
import { key, list, makeBox, until } from './support/box.ts';
import { makeRuntime } from './support/packages.ts';
import { startVendor } from './support/vendor.ts';

const vendor = await startVendor([makeRuntime()], { [key]: { tier: 'basic', packages: [`${scope}/runtime`] } });
t.teardown(() => vendor.close());
t.beforeEach(() => {
  vendor.packages.set(`${scope}/runtime`, makeRuntime());
});

t.test('start, status and stop, each twice', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install(['--no-start']);
  t.match(await box.run(['status', '--json']), { exitCode: 13, end: { exitCode: 13, result: { running: false } } });

  const started = await box.run(['start', '--json']);
  t.match(started, { exitCode: 0, end: { result: { url: box.url, alreadyRunning: false } } });
  const again = await box.run(['start', '--json']);
  t.match(again, { exitCode: 0, end: { result: { alreadyRunning: true, pid: started.end.result?.pid } } });

  const status = await box.run(['status', '--json']);
  t.match(status, {
    exitCode: 0,
    end: {
      result: {
        tier: 'basic',
        running: true,
        healthy: true,
        healthStatus: 200,
        pid: started.end.result?.pid,
        packages: { [`${scope}/runtime`]: '0.1.0' },
      },
    },
  });
  t.match((await box.run(['status'])).stdout, /@carton\/runtime {2}0\.1\.0/);
  t.match(await readFile(box.folder.log, 'utf8'), 'listening as 0.1.0');

  t.match(await box.run(['stop', '--json']), { exitCode: 0, end: { result: { stopped: true } } });
  t.match(await box.run(['stop', '--json']), { exitCode: 0, end: { result: { stopped: false } } });
  t.equal(await box.ask(), undefined);
});

t.test('a folder without a box', async (t) => {
  const box = await makeBox(t, vendor);
  for (const command of ['start', 'stop', 'status']) {
    t.match(await box.run([command, '--json']), { exitCode: 12, end: { error: { code: 'not_installed' } } }, command);
  }
});

t.test('a PID file that names another process is ignored', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install(['--no-start']);
  const record = { identity: 'another-boot:1', release: 'x' };
  await mkdir(box.folder.run);
  await writeFile(box.folder.pid, `${process.pid}\n${JSON.stringify(record)}\n`);
  t.match(await box.run(['status', '--json']), { exitCode: 13 });
  t.match(await box.run(['stop', '--json']), { exitCode: 0, end: { result: { stopped: false } } });
  t.match(await box.run(['start', '--json']), { exitCode: 0, end: { result: { alreadyRunning: false } } });
});

t.test('a box without a PID file is found', async (t) => {
  const box = await makeBox(t, vendor);
  const { end } = await box.install();
  await rm(box.folder.run, { recursive: true });
  t.match(await box.run(['start', '--json']), { end: { result: { alreadyRunning: true, pid: end.result?.pid } } });
  t.match(await box.run(['stop', '--json']), { exitCode: 0, end: { result: { stopped: true, pid: end.result?.pid } } });
  t.equal(await findRunningBox(box.folder), undefined);
});

t.test('a program that reads the box’s files is not mistaken for the box', async (t) => {
  const box = await makeBox(t, vendor);
  const { end } = await box.install(['--no-start']);
  const reader = spawn('tail', ['-f', releaseEntry(box.folder, end.result?.release as string)]);
  await once(reader, 'spawn');
  t.teardown(() => reader.kill());
  t.match(await box.run(['status', '--json']), { exitCode: 13 });
});

t.test('a killed box is started again by its supervisor, also in the background', async (t) => {
  const box = await makeBox(t, vendor);
  const { end } = await box.install();
  const { parent } = (await findRunningBox(box.folder)) ?? {};
  t.match(parent, { pid: Number, background: true });
  process.kill(end.result?.pid as number, 'SIGKILL');
  await until(
    async () => (await findRunningBox(box.folder))?.pid !== end.result?.pid && (await box.ask()) !== undefined,
  );
  t.strictSame((await findRunningBox(box.folder))?.parent, parent);
  t.match(await box.run(['stop', '--json']), { exitCode: 0, end: { result: { stopped: true } } });
  t.equal(await identify(parent?.pid as number), undefined, 'the supervisor has ended');
  t.same(await list(box.folder.run), []);
});

t.test('a supervisor ends when the folder of its box was removed', async (t) => {
  const box = await makeBox(t, vendor);
  const { end } = await box.install();
  const { parent } = (await findRunningBox(box.folder)) ?? {};
  await rm(box.dir, { recursive: true });
  process.kill(end.result?.pid as number, 'SIGKILL');
  await until(async () => (await identify(parent?.pid as number)) === undefined);
});

t.test('a box whose supervisor was killed runs on, and restart gives it another', async (t) => {
  const box = await makeBox(t, vendor);
  const { end } = await box.install();
  const supervisor = (await findRunningBox(box.folder))?.parent?.pid as number;
  process.kill(supervisor, 'SIGKILL');
  await until(async () => (await findRunningBox(box.folder))?.orphaned === true);
  t.match(await box.run(['status', '--json']), { exitCode: 0, end: { result: { pid: end.result?.pid } } });
  t.match(await box.run(['restart', '--json']), { exitCode: 0 });
  t.match(await findRunningBox(box.folder), { supervised: true, parent: { background: true } });
  t.not((await findRunningBox(box.folder))?.parent?.pid, supervisor);
});

t.test('a box that does not stop is killed only with --force', async (t) => {
  vendor.packages.set(`${scope}/runtime`, makeRuntime('0.1.0', 'ignores SIGTERM'));
  const box = await makeBox(t, vendor);
  const { end } = await box.install();
  t.match(await box.run(['stop', '--json', '--timeout', '0.3']), {
    exitCode: 14,
    end: { error: { code: 'did_not_stop' } },
  });
  t.equal((await findRunningBox(box.folder))?.pid, end.result?.pid);
  t.match(await box.run(['stop', '--json', '--timeout', '0.3', '--force']), { exitCode: 0 });
  t.equal(await findRunningBox(box.folder), undefined);
});

t.test('start on a port that another program uses meanwhile', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install(['--no-start']);
  const settings = JSON.parse(await readFile(box.folder.settings, 'utf8'));
  const other = new URL(vendor.controlPlaneUrl).port;
  await writeFile(box.folder.settings, JSON.stringify({ ...settings, port: Number(other) }));
  t.match(await box.run(['start', '--json']), { exitCode: 9, end: { error: { code: 'port_taken' } } });
});

t.test('in the foreground', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install(['--no-start']);

  t.test('the command passes the box’s output on and ends with its exit status', async (t) => {
    const parent = box.begin(['start', '--foreground', '--json']);
    await parent.printed('"event":"healthy"');
    t.match(await box.run(['status', '--json']), { exitCode: 0 });
    t.match(await box.run(['start', '--json']), { end: { result: { alreadyRunning: true } } });
    parent.child.kill('SIGTERM');
    const { exitCode, stdout, end } = await parent.ended;
    t.equal(exitCode, 0);
    t.match(stdout, 'listening as 0.1.0');
    t.match(end, { event: 'result', exitCode: 0 });
    t.same(await list(box.folder.run), []);
  });

  t.test('a box whose parent was killed is restarted by the next parent', async (t) => {
    const first = box.begin(['start', '--foreground', '--json']);
    await first.printed('"event":"healthy"');
    const orphan = await findRunningBox(box.folder);
    first.child.kill('SIGKILL');
    await once(first.child, 'exit'); // not 'close': the box still has its output open
    const second = box.begin(['start', '--foreground', '--json']);
    await second.printed('"event":"healthy"');
    t.not((await findRunningBox(box.folder))?.pid, orphan?.pid);
    second.child.kill('SIGTERM');
    const { exitCode, events } = await second.ended;
    t.equal(exitCode, 0);
    t.strictSame(
      events.map(({ event }) => event),
      ['warning', 'healthy', 'result'],
    );
    t.match(events[0], { message: /whose parent has died/ });
  });

  t.test('a second signal ends draining, and a third kills a box that ignores it', async (t) => {
    for (const [behaviour, signals, status] of [
      ['drains', 2, 0],
      ['ignores SIGTERM', 3, 137],
    ] as const) {
      vendor.packages.set(`${scope}/runtime`, makeRuntime('0.1.0', behaviour));
      const box = await makeBox(t, vendor);
      await box.install(['--no-start']);
      const parent = box.begin(['start', '--foreground', '--json']);
      await parent.printed('"event":"healthy"');
      for (let signal = 1; signal < signals; signal++) {
        // One key or command may be several signals.
        for (let time = 1; time <= 3; time++) {
          parent.child.kill('SIGTERM');
          await sleep(50);
        }
        await parent.printed(`signal ${signal}`);
        await sleep(1100);
        t.ok(await findRunningBox(box.folder), `${behaviour}, after signal ${signal}`);
      }
      parent.child.kill('SIGTERM');
      t.equal((await parent.ended).exitCode, status, behaviour);
    }
  });

  t.test('a box that crashes is restarted until it is stopped', async (t) => {
    const parent = box.begin(['start', '--foreground', '--json']);
    await parent.printed('"event":"healthy"');
    for (let crash = 0; crash < 3; crash++) {
      const running = await findRunningBox(box.folder);
      process.kill(running?.pid as number, 'SIGKILL');
      await until(async () => {
        const other = await findRunningBox(box.folder);
        return other !== undefined && other.pid !== running?.pid && (await box.ask()) !== undefined;
      });
    }
    t.match(await box.run(['stop', '--json']), { exitCode: 0 });
    const { exitCode, events } = await parent.ended;
    t.equal(exitCode, 0);
    t.equal(events.filter(({ event }) => event === 'warning').length, 3);
    t.same(await list(box.folder.run), []);
  });

  t.test('a box killed by stop --force is not restarted, also by a service manager', async (t) => {
    vendor.packages.set(`${scope}/runtime`, makeRuntime('0.1.0', 'ignores SIGTERM'));
    const box = await makeBox(t, vendor);
    await box.install(['--no-start']);
    const parent = box.begin(['start', '--foreground', '--json']);
    await parent.printed('"event":"healthy"');
    t.match(await box.run(['stop', '--json', '--timeout', '0.3', '--force']), { exitCode: 0 });
    t.equal((await parent.ended).exitCode, 0);
    t.equal(await findRunningBox(box.folder), undefined);
  });
});

t.test('a box on 0.0.0.0 is reached at 127.0.0.1', async (t) => {
  const box = await makeBox(t, vendor);
  const port = String(await freePort());
  const { end } = await box.run([
    'install',
    '--json',
    '--host',
    '0.0.0.0',
    '--port',
    port,
    '--control-plane',
    vendor.controlPlaneUrl,
  ]);
  t.match(end, { exitCode: 0, result: { url: `http://127.0.0.1:${port}` } });
});

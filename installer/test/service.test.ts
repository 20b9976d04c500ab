/**
 * Running a box as a service: a box that hangs is restarted, one in the background is taken over, and the unit is valid
 * and closes what it can.
 */
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { missingPrograms } from '@carton/runtime/testing';
import t from 'tap';
import { findRunningBox } from '../box/running.ts';
import { isUnitOf } from '../service/systemd.ts';
import { backupTimer } from '../service/timer.ts';
import { unitOf } from '../service/unit.ts';
import { scope } from '../vendor.ts';
import { key, makeBox, until } from './support/box.ts';
import { makeRuntime } from './support/packages.ts';
import { startVendor } from './support/vendor.ts';

const run = promisify(execFile);
const vendor = await startVendor([makeRuntime()], { [key]: { tier: 'basic', packages: [`${scope}/runtime`] } });
t.teardown(() => vendor.close());

t.test('a box that does not respond is killed and started again', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install(['--no-start']);
  const parent = box.begin(['start', '--foreground', '--json', '--watchdog', '2']);
  await parent.printed('"event":"healthy"');
  const hung = await findRunningBox(box.folder);
  process.kill(hung?.pid as number, 'SIGSTOP');
  await parent.printed('has not responded for 2 s');
  await until(async () => (await box.ask()) !== undefined);
  const next = await findRunningBox(box.folder);
  t.not(next?.pid, hung?.pid);
  t.equal(next?.parent?.pid, parent.child.pid);
  parent.child.kill('SIGTERM');
  t.equal((await parent.ended).exitCode, 0);
});

t.test('a box that hangs from its restart on is killed too', async (t) => {
  vendor.packages.set(`${scope}/runtime`, makeRuntime('0.1.0', 'hangs'));
  t.teardown(() => vendor.packages.set(`${scope}/runtime`, makeRuntime()));
  const box = await makeBox(t, vendor);
  await box.install(['--no-start']);
  const parent = box.begin(['start', '--foreground', '--json', '--watchdog', '2']);
  await parent.printed('"event":"healthy"');
  const hang = join(box.folder.logs, 'hang');
  await writeFile(hang, '');
  process.kill((await findRunningBox(box.folder))?.pid as number, 'SIGKILL');
  await parent.printed('has not responded for 2 s');
  await rm(hang);
  await until(async () => (await box.ask()) !== undefined);
  parent.child.kill('SIGTERM');
  t.equal((await parent.ended).exitCode, 0);
});

t.test('a box in the background is taken over', async (t) => {
  const box = await makeBox(t, vendor);
  const { end } = await box.install();
  const parent = box.begin(['start', '--foreground', '--json']);
  await parent.printed('"event":"healthy"');
  const taken = await findRunningBox(box.folder);
  t.not(taken?.pid, end.result?.pid);
  t.match(taken, { supervised: true });
  const second = await box.run(['start', '--foreground', '--json']);
  t.match(second, { exitCode: 0, end: { result: { alreadyRunning: true, pid: taken?.pid } } });
  parent.child.kill('SIGTERM');
  t.match((await parent.ended).events[0], { message: /taking over the box .* which runs in the background/ });
});

t.test('only root changes services, and without systemd the command says what to do', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install(['--no-start']);
  const printed = await box.run(['service', 'unit', '--user', 'store', '--json']);
  t.match(printed, { exitCode: 0, end: { result: { unit: /^User=store$/m } } });
  t.match(await box.run(['service', 'unit']), { exitCode: 0, stdout: /^ExecStart=.* start --foreground --dir /m });
  const { uid } = { uid: process.getuid?.() };
  const { end } = await box.run(['service', 'install', '--json']);
  t.match(end, { exitCode: 2, error: { message: uid === 0 ? /systemd does not run/ : /only root/ } });
});

const skip = missingPrograms('systemd-analyze');

t.test('the unit is valid, closes what it can, and names its folder whatever its name', { skip }, async (t) => {
  const scratch = t.testdir();
  for (const [index, name] of ['plain', 'a "name" with % and $'].entries()) {
    const dir = join(scratch, name);
    await mkdir(dir);
    const unit = unitOf({
      dir,
      user: 'daemon',
      group: 'daemon',
      command: [process.execPath, '/usr/bin/true'],
      writable: [],
      stopSeconds: 60,
    });
    const path = join(scratch, `box-${index}.service`);
    await writeFile(path, unit);
    t.ok(await isUnitOf(path, dir), name);
    t.notOk(await isUnitOf(path, dirname(dir)), name);
    const verified = await outcome('systemd-analyze', ['verify', '--man=no', path]);
    t.notMatch(verified.output, `box-${index}`);
    t.equal(verified.code, 0, verified.output);
    // In tenths: of 100, the most exposed.
    const security = await outcome('systemd-analyze', ['security', '--offline=true', '--threshold=20', path]);
    t.equal(security.code, 0, security.output);
  }
  t.match(unitIn('/home/ada/store'), /^ProtectHome=tmpfs\nBindPaths=\/home\/ada\/store$/m);
  t.match(unitIn('/srv/store'), /^ProtectHome=yes$/m);
});

t.test('the timer of backups is valid, and its service writes to the box and the backups only', { skip }, async (t) => {
  const scratch = t.testdir();
  const dir = join(scratch, 'a "name" with % and $');
  await mkdir(dir);
  const command = [process.execPath, 'backup', '--dir', dir];
  const units = backupTimer({ dir, uid: 1000, gid: 1000, command, every: 86_400, writable: [scratch] });
  for (const [kind, text] of Object.entries(units)) await writeFile(join(scratch, `store-backup.${kind}`), text);
  const paths = ['timer', 'service'].map((kind) => join(scratch, `store-backup.${kind}`));
  const verified = await outcome('systemd-analyze', ['verify', '--man=no', ...paths]);
  t.notMatch(verified.output, 'store-backup');
  t.equal(verified.code, 0, verified.output);
  t.match(units.timer, /^OnUnitActiveSec=86400s$/m);
  t.equal(units.service.match(/^ReadWritePaths=/gm)?.length, 2);
  t.match(units.service, /^User=1000$/m);
  t.match(units.service, /^ProtectSystem=strict$/m);
});

function unitIn(dir: string): string {
  return unitOf({ dir, user: 'store', group: 'store', command: ['/usr/bin/true'], writable: [], stopSeconds: 60 });
}

async function outcome(command: string, words: string[]) {
  return run(command, words).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      output: error.stdout + error.stderr,
    }),
  );
}

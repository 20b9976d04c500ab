/**
 * A box of release 0.1.0 is upgraded by this command: data, settings and secrets stay, and a service that runs
 * `start --foreground` runs it again.
 */
import { once } from 'node:events';
import { readFile, readlink, stat } from 'node:fs/promises';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { readRecords } from '../upgrade/record.ts';
import { key, list, makeBox, until } from './support/box.ts';
import { firstSecrets, startFirstRelease, startFirstService, writeFirstRelease } from './support/first-release.ts';
import { additive, changing, makeStore, order, ordersOf, storePackages } from './support/store.ts';
import { startVendor } from './support/vendor.ts';

const first = makeStore('0.1.0');
const vendor = await startVendor(first, { [key]: { tier: 'basic', packages: storePackages } });
t.teardown(() => vendor.close());
const lines = ['# ours', "SMTP_HOST='mail.example.com'", 'DRAIN_SECONDS=0'];

t.test('a box that runs is upgraded twice, and rolled back to its first release', async (t) => {
  const box = await makeBox(t, vendor);
  const id = await writeFirstRelease(box, vendor, first, lines);
  const old = await startFirstRelease(box, id);
  await order(box, 'berlin', 2);
  t.match(await box.run(['status', '--json']), { exitCode: 0, end: { result: { running: true, pid: old.pid } } });
  const settings = JSON.parse(await readFile(box.folder.settings, 'utf8'));

  vendor.publish('0.2.0', makeStore('0.2.0', [additive]));
  t.match(await box.run(['plan', '--json']), {
    exitCode: 0,
    end: { result: { wayBack: 'code_only', migrations: { length: 1 }, backup: true } },
  });
  t.match(await box.run(['upgrade', '--json']), { exitCode: 0, end: { result: { version: '0.2.0' } } });
  t.match(await box.ask(), { version: '0.2.0', environment: { SMTP_HOST: 'mail.example.com', ...served() } });
  t.strictSame(await ordersOf(box, 'berlin'), ['1001', '1002']);
  const after = JSON.parse(await readFile(box.folder.settings, 'utf8'));
  t.match(after, settings, 'address, tier, customer and registration stay');
  const text = await readFile(box.folder.secrets, 'utf8');
  const kept = [...lines, ...Object.entries(firstSecrets).map(([name, value]) => `${name}=${value}`)];
  for (const line of kept) t.ok(text.split('\n').includes(line), line);
  t.equal((await stat(box.folder.secrets)).mode & 0o777, 0o600);
  t.match(await readRecords(box.folder), exactly([{ from: { release: id }, to: { version: '0.2.0' }, state: 'done' }]));
  t.equal((await list(box.folder.releases)).length, 2, 'the first release stays for a rollback');

  await order(box, 'berlin');
  t.match(await box.run(['rollback', '--json']), { exitCode: 0 });
  t.match(await box.ask(), { version: '0.1.0' });
  t.equal(await readlink(box.folder.current), `releases/${id}`);
  t.strictSame(await ordersOf(box, 'berlin'), ['1001', '1002', '1003']);

  vendor.publish('0.3.0', makeStore('0.3.0', [additive, changing], 'breaks its products'));
  t.match(await box.run(['upgrade', '--json']), { exitCode: 18 });
  t.match(await box.ask(), { version: '0.1.0' });
  t.strictSame(await ordersOf(box, 'berlin'), ['1001', '1002', '1003'], 'with its data');
  vendor.publish('0.3.1', makeStore('0.3.1', [additive, changing]));
  t.match(await box.run(['upgrade', '--json']), { exitCode: 0 });
  t.strictSame(await ordersOf(box, 'berlin'), ['1001-x', '1002-x', '1003-x']);
});

t.test('a box that is stopped, and then runs as a service of `start --foreground`', async (t) => {
  const box = await makeBox(t, vendor);
  vendor.publish('0.1.0', first);
  const id = await writeFirstRelease(box, vendor, first, lines);
  const old = await startFirstRelease(box, id);
  await order(box, 'paris');
  t.match(await box.run(['stop', '--json']), { exitCode: 0 });
  await until(() => old.exitCode !== null || old.signalCode !== null);

  const service = box.begin(['start', '--foreground', '--json']);
  await service.printed('"healthy"');
  t.match(await box.ask(), { version: '0.1.0', environment: served() });
  vendor.publish('0.2.0', makeStore('0.2.0', [additive]));
  t.match(await box.run(['upgrade', '--json']), { exitCode: 0 });
  t.match(await box.ask(), { version: '0.2.0', environment: served() });
  t.strictSame(await ordersOf(box, 'paris'), ['1001']);
  t.equal(service.child.exitCode, null, 'the process of the service stays');
  service.child.kill('SIGTERM');
  t.match(await service.ended, { exitCode: 0 });
});

t.test('a box under `start --foreground` of its release', async (t) => {
  const box = await makeBox(t, vendor);
  vendor.publish('0.1.0', first);
  const id = await writeFirstRelease(box, vendor, first, lines);
  const parent = await startFirstService(t, box, id);
  await order(box, 'berlin');
  vendor.publish('0.2.0', makeStore('0.2.0', [additive]));
  t.match(await box.run(['upgrade', '--json']), { exitCode: 0 });
  t.match(await box.ask(), { version: '0.2.0', environment: served() });
  t.equal(parent.exitCode, null, 'it starts the new release');

  vendor.publish('0.3.0', makeStore('0.3.0', [additive, changing]));
  const ended = once(parent, 'exit');
  const upgraded = await box.run(['upgrade', '--json']);
  t.match(upgraded, { exitCode: 0 });
  const warning = `process ${parent.pid}, which ran the box in the foreground, is of an earlier release`;
  t.match(upgraded.stdout, warning);
  t.match(upgraded.stdout, /start it again, and it takes the box over/);
  t.strictSame(await ended, [0, null]);
  t.match(await box.ask(), { version: '0.3.0', environment: served() });
  t.strictSame(await ordersOf(box, 'berlin'), ['1001-x']);

  const service = box.begin(['start', '--foreground', '--json']);
  await service.printed('"healthy"');
  t.match(await box.ask(), { version: '0.3.0' });
  t.strictSame(await ordersOf(box, 'berlin'), ['1001-x']);
  service.child.kill('SIGTERM');
  t.match(await service.ended, { exitCode: 0 });
});

function served() {
  const { OPERATOR_SECRET, HOSTING_SECRET } = firstSecrets;
  return { OPERATOR_SECRET, HOSTING_SECRET };
}

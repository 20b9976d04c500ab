/**
 * Where a box that is started again has its environment from: a command reads `box.env` again, and a supervisor starts a box
 * that has crashed with the settings that it had. What a box inherits is that of its supervisor in both cases.
 */
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import t from 'tap';
import { scope } from '../vendor.ts';
import { type Answer, key, makeBox, until } from './support/box.ts';
import { handsOver, makeRuntime } from './support/packages.ts';
import { startVendor } from './support/vendor.ts';

const vendor = await startVendor([makeRuntime('0.1.0', 'healthy', handsOver)], {
  [key]: { tier: 'basic', packages: [`${scope}/runtime`] },
});
t.teardown(() => vendor.close());

/** By a new connection: a box that was replaced completes what came by the former ones. */
async function environmentOf(url: string): Promise<Record<string, string>> {
  const request = get(`${url}/health`, { agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return ((await json(response)) as Answer).environment;
}

t.test('a box that is started again', async (t) => {
  const box = await makeBox(t, vendor);
  t.match(await box.install([], { TZ: 'Asia/Tokyo', LOG_LEVEL: 'debug' }), { exitCode: 0 });
  const before = await readFile(box.folder.secrets, 'utf8');
  // As cron has it, and a shell with other variables.
  const restart = () => box.run(['restart', '--json'], { TZ: 'Europe/Paris', LOG_LEVEL: 'error' });
  const environment = () => environmentOf(box.url);
  t.match(await environment(), { TZ: 'Asia/Tokyo', LOG_LEVEL: 'debug' });

  await writeFile(box.folder.secrets, `${before}LOG_LEVEL=warn\nDRAIN_SECONDS=0\n`);
  t.match(await restart(), { exitCode: 0 });
  t.match(await environment(), { TZ: 'Asia/Tokyo', LOG_LEVEL: 'warn', DRAIN_SECONDS: '0' }, 'by a command');

  await writeFile(box.folder.secrets, `${before}LOG_LEVEL=info\nWORKERS=many\n`);
  const { pid } = (await box.run(['status', '--json'])).end.result as { pid: number };
  process.kill(pid, 'SIGKILL');
  await until(async () => {
    const { end } = await box.run(['status', '--json']);
    return ![undefined, pid].includes(end.result?.pid) && (await box.ask()) !== undefined;
  });
  const crashed = await environment();
  t.match(crashed, { LOG_LEVEL: 'warn', DRAIN_SECONDS: '0' }, 'after a crash: what nobody has checked may not start');
  t.notOk(crashed.WORKERS);

  await writeFile(box.folder.secrets, before);
  t.match(await restart(), { exitCode: 0 });
  t.match(await environment(), { TZ: 'Asia/Tokyo', LOG_LEVEL: 'debug' }, 'without a line, it is inherited again');
  t.notOk((await environment()).DRAIN_SECONDS);
});

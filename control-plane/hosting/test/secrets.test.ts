/**
 * The secrets of the hosting service are replaced while it runs: the one that it sends, and those that it accepts.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { startTestControlPlane } from '../../test/test-control-plane.ts';
import { readHostingSettings } from '../settings.ts';

const [one, two, three] = ['first-secret-of-hosting', 'second-secret-of-hosting', 'third-secret-of-hosting'];

/** The service as a process; resolves once it listens. */
async function startProcess(t: Test, environment: Record<string, string>) {
  const main = fileURLToPath(new URL('../main.ts', import.meta.url));
  const child = spawn(process.execPath, ['--conditions=workspace-source', main], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  t.teardown(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => lines.push(line));
  /** Waits for a line of the log with this text; returns it without what came before it. */
  const said = async (text: string): Promise<Record<string, unknown>> => {
    for (;;) {
      const at = lines.findIndex((line) => line.includes(text));
      if (at !== -1) return JSON.parse(lines.splice(0, at + 1)[at] as string);
      await once(reader, 'line');
    }
  };
  const { url } = await said('is listening');
  return { child, url: String(url), said };
}

t.test('both secrets are replaced by file, without a restart', async (t) => {
  const accepted = { values: [one as string] };
  const controlPlane = await startTestControlPlane(t, { hostingSecret: accepted as never });
  const { key } = await controlPlane.mint();
  const domains = ['one.example', 'two.example', 'three.example', 'four.example'];
  const box = { key, name: 'shop', backendUrl: 'https://192.0.2.1', domains };
  t.equal((await controlPlane.visitor().post('/boxes/deploy', box)).status, 200);

  const folder = t.testdir({});
  const [hostingFile, proxyFile] = [join(folder, 'hosting'), join(folder, 'proxy')];
  const write = (file: string, ...lines: (string | undefined)[]) => writeFile(file, lines.join('\n'), { mode: 0o640 });
  await write(hostingFile, one);
  await write(proxyFile, one);
  const { child, url, said } = await startProcess(t, {
    CONTROL_PLANE_URL: controlPlane.url,
    HOSTING_PORT: '0',
    HOSTING_NAMES_PORT: '0',
    HOSTING_SECRET_FILE: hostingFile,
    PROXY_SECRET_FILE: proxyFile,
  });
  /** Each host is asked for once, as answers are kept. */
  const route = async (host: string, secret = one) =>
    (await fetch(`${url}/route`, { headers: { authorization: `Bearer ${secret}`, 'hosting-host': host } })).status;
  t.strictSame([await route('one.example'), await route('one.example', two)], [204, 401]);

  accepted.values = [two as string];
  t.equal(await route('two.example'), 503, 'it sends the former secret');
  await write(hostingFile, two, one);
  child.kill('SIGHUP');
  await said('a secret was replaced');
  t.equal(await route('three.example'), 204, 'it sends the first line');

  await write(proxyFile, two, one);
  child.kill('SIGHUP');
  await said('a secret was replaced');
  t.strictSame([await route('one.example'), await route('one.example', two)], [204, 204], 'both are valid');
  await write(proxyFile, two);
  child.kill('SIGHUP');
  await said('a secret was replaced');
  t.strictSame([await route('one.example'), await route('one.example', two)], [401, 204]);

  await write(hostingFile, three, two, one);
  child.kill('SIGHUP');
  t.match(await said('the former secrets stay valid'), { setting: 'HOSTING_SECRET_FILE', reason: /3 lines/ });
  t.equal(await route('four.example', two), 204);
});

t.test('a wrong setting names itself', async (t) => {
  const settings = { CONTROL_PLANE_URL: 'http://127.0.0.1:4000', HOSTING_SECRET: one, PROXY_SECRET: two };
  t.match(readHostingSettings(settings), { hostingSecret: one, proxySecret: two });
  const file = join(t.testdir({}), 'secret');
  for (const [change, message] of [
    [{ HOSTING_SECRET: undefined }, /HOSTING_SECRET is not set/],
    [{ HOSTING_SECRET_FILE: file }, /HOSTING_SECRET_FILE is set, and so is HOSTING_SECRET: remove one/],
    [{ PROXY_SECRET: undefined, PROXY_SECRET_FILE: file }, /PROXY_SECRET_FILE is a file that cannot be read/],
  ] as const) {
    t.throws(() => readHostingSettings({ ...settings, ...change }), { message });
  }
});

// The registry as a process: its environment, signals, and errors at the start.

import { once } from 'node:events';
import { rename, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { settings } from '../config.ts';
import {
  generateKey,
  makeFolder,
  prepareStorage,
  publishSecret,
  registrySecret,
  send,
  signToken,
  startControlPlaneStub,
  waitUntil,
} from '../testing/index.ts';
import { listening, runRegistry } from './registry-process.ts';

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  t.test(`serves until ${signal}, exits with code 0, and logs lines of JSON`, async (t) => {
    const started = await runRegistry(t, { REGISTRY_PORT: '0' });
    const { child, output, ended } = started;
    const url = await listening(started);
    t.equal((await fetch(`${url}/@carton/cart`)).status, 401);
    child.kill(signal);
    t.equal(await ended, 0, output.errors);
    const lines = output.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    t.match(lines.at(-1), { message: 'the registry has stopped' });
    t.ok(lines.some(({ message, status }) => message === 'request' && status === 401));
    t.equal(output.errors, '');
  });
}

t.test('logs only paths, without tokens that a client sends in a URL', async (t) => {
  const started = await runRegistry(t, { REGISTRY_PORT: '0' });
  const { child, output, ended } = started;
  const url = await listening(started);
  const token = 'a-valid-token';
  for (const address of [`/@carton/cart?write=true&_authToken=${token}`, `/?${token}`, `/nothing#${token}`]) {
    await fetch(`${url}${address}`, { headers: { authorization: `Bearer ${token}` } });
  }
  await fetch(`${url}/-/user/token/${token}`, { method: 'DELETE' });
  await fetch(`${url}/@carton/cart?${token}`, { method: 'PUT', body: '{}' });
  child.kill('SIGTERM');
  await ended;
  t.notMatch(output.text + output.errors, token);
  const paths = output.text.split('\n').flatMap((line) => (line ? (JSON.parse(line).path ?? []) : []));
  t.strictSame(paths, ['/@carton/cart', '/', '/nothing', '/-/user/token/…', '/@carton/cart']);
});

t.test('downloads served before a SIGKILL are reported exactly once', async (t) => {
  const key = generateKey();
  const makeStorage = await prepareStorage(t, { name: '@carton/cart', version: '1.2.0', carton: { tier: 'basic' } });
  const controlPlane = await startControlPlaneStub(t, [key]);
  const publicUrl = 'http://registry.example';
  const environment = {
    REGISTRY_PORT: '0',
    REGISTRY_STORAGE: await makeStorage(t),
    REGISTRY_PUBLIC_URL: publicUrl,
    CONTROL_PLANE_URL: controlPlane.url,
  };
  const first = await runRegistry(t, environment);
  const localUrl = await listening(first);
  const registry = { url: publicUrl, localUrl, stop: async () => {} };
  const token = await signToken(key, publicUrl);
  t.equal((await send(registry, '/@carton/cart', token)).status, 200);
  await controlPlane.stop();
  for (let count = 0; count < 3; count += 1) {
    t.equal((await send(registry, '/@carton/cart/-/cart-1.2.0.tgz', token)).status, 200);
  }
  first.child.kill('SIGKILL');
  await first.ended;

  const back = await startControlPlaneStub(t, [key], controlPlane.port);
  const second = await runRegistry(t, environment);
  await listening(second);
  await waitUntil(() => back.state.received.length >= 3);
  second.child.kill('SIGTERM');
  await second.ended;
  t.equal(back.state.received.length, 3);
  t.equal(new Set(back.state.received.map(({ headers }) => headers['idempotency-key'])).size, 3);
});

t.test('secrets in files are replaced without a restart', async (t) => {
  const folder = await makeFolder(t);
  const file = async (name: string, content: string) => {
    await writeFile(join(folder, `${name}.new`), content, { mode: 0o600 });
    await rename(join(folder, `${name}.new`), join(folder, name));
    return join(folder, name);
  };
  const controlPlane = await startControlPlaneStub(t, [generateKey()]);
  const started = await runRegistry(t, {
    REGISTRY_PORT: '0',
    CONTROL_PLANE_URL: controlPlane.url,
    REGISTRY_SECRET: '',
    REGISTRY_SECRET_FILE: await file('registry', `${registrySecret}\n`),
    PUBLISH_SECRET: '',
    PUBLISH_SECRET_FILE: await file('publish', `${publishSecret}\n`),
    METRICS_SECRET_FILE: await file('metrics', 'metrics-secret-of-the-tests'),
  });
  const { child, output } = started;
  const url = await listening(started);
  const headers = (secret: string) => ({ headers: { authorization: `Bearer ${secret}` } });
  const publisher = async (secret: string) => (await fetch(`${url}/-/whoami`, headers(secret))).status;
  const next = 'next-publish-secret-of-the-tests';
  t.strictSame([await publisher(publishSecret), await publisher(next)], [200, 401]);
  await file('publish', `${next}\n${publishSecret}\n`);
  child.kill('SIGHUP');
  await waitUntil(async () => (await publisher(next)) === 200);
  t.equal(await publisher(publishSecret), 200);
  await file('publish', '');
  child.kill('SIGHUP');
  await waitUntil(() => output.text.includes('PUBLISH_SECRET_FILE'));
  await waitUntil(() => output.text.includes('is an empty file'));
  t.strictSame([await publisher(publishSecret), await publisher(next)], [200, 200], 'the former ones stay valid');
  await file('publish', `${next}\n`);
  await waitUntil(async () => (await publisher(publishSecret)) === 401);
  t.equal(await publisher(next), 200);
  t.equal((await fetch(`${url}/metrics`, headers('metrics-secret-of-the-tests'))).status, 200);
  t.notMatch(output.text + output.errors, /-of-the-tests/);
});

t.test('a port in use is reported in one line, with exit code 1', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  t.teardown(() => other.close());
  const { port } = other.address() as AddressInfo;
  const { output, ended } = await runRegistry(t, { REGISTRY_PORT: String(port) });
  t.equal(await ended, 1);
  t.equal(output.errors, `The registry cannot start: port ${port} on 127.0.0.1 is already in use\n`);
});

t.test('missing and invalid settings are reported together in one line, with exit code 1', async (t) => {
  const { output, ended } = await runRegistry(t, {
    REGISTRY_PORT: 'http',
    CONTROL_PLANE_URL: 'control.example',
    REGISTRY_SECRET: 'short-secret',
    PUBLISH_SECRET: '',
    METRICS_SECRET_FILE: '/nowhere/metrics-secret',
  });
  t.equal(await ended, 1);
  t.equal(output.text, '');
  t.equal(
    output.errors,
    'The registry cannot start: PUBLISH_SECRET is not set; REGISTRY_PORT must be integer; ' +
      'CONTROL_PLANE_URL must match pattern "^https?://[^\\s/?#@]+(/[^\\s?#]*)?$"; ' +
      'REGISTRY_SECRET must NOT have fewer than 16 characters; ' +
      'METRICS_SECRET_FILE is a file that cannot be read (there is none): /nowhere/metrics-secret\n',
  );
});

t.test('a bucket that cannot be used is reported in one line, with exit code 1', async (t) => {
  const bucket = {
    REGISTRY_PORT: '0',
    REGISTRY_STORAGE: 's3://packages/registry',
    REGISTRY_HOME: await makeFolder(t),
    REGISTRY_S3_ENDPOINT: 'http://127.0.0.1:9',
    REGISTRY_S3_ACCESS_KEY_ID: 'an-access-key',
    REGISTRY_S3_SECRET_ACCESS_KEY: 'secret-of-the-tests',
  };
  const { output, ended } = await runRegistry(t, bucket);
  t.equal(await ended, 1);
  t.equal(
    output.errors,
    'The registry cannot start: http://127.0.0.1:9 does not respond for s3://packages/registry/ (ECONNREFUSED): ' +
      'check REGISTRY_S3_ENDPOINT and the network\n',
  );
  t.notMatch(output.text, /-of-the-tests/);
});

t.test('--help lists the settings; another argument is refused with exit code 2', async (t) => {
  const help = await runRegistry(t, { PUBLISH_SECRET: '' }, ['--help']);
  t.equal(await help.ended, 0);
  t.match(help.output.text, /^Usage: npm run registry -- \[--help\]\n/);
  for (const name of Object.keys(settings)) t.match(help.output.text, new RegExp(`^  ${name}\\b`, 'm'));
  t.equal(help.output.errors, '');
  const wrong = await runRegistry(t, {}, ['--port', '1']);
  t.equal(await wrong.ended, 2);
  t.match(wrong.output.errors, /^Unknown option '--port'[^\n]*\n$/);
});

/**
 * Two control planes behind HAProxy, as docs/operations.md has them: one is killed and the other one stopped under load, and
 * clients that try again notice nothing.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { callerOf, freePort, missingPrograms, pathOf } from '@carton/runtime/testing';
import { createLocalJWKSet, jwtVerify } from 'jose';
import t from 'tap';
import { run, settings } from './processes.ts';
import { firstRelease } from './release.ts';
import { makeDatabase } from './test-control-plane.ts';

const skip = missingPrograms('haproxy');

/** The configuration of docs/operations.md with these ports. */
async function configurationOf(port: number, [one, two]: readonly [number, number]): Promise<string> {
  const page = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  const [backend = ''] = /^backend control-planes\n(?: {4}.*\n)+/m.exec(page) ?? [];
  const local = backend.replace('10.0.0.21:4000', `127.0.0.1:${one}`).replace('10.0.0.22:4000', `127.0.0.1:${two}`);
  return `defaults
    mode http
    option forwardfor
    timeout connect 2s
    timeout client 30s
    timeout server 30s
frontend control-planes-in
    bind 127.0.0.1:${port}
    default_backend control-planes
${local}`;
}

t.test('a killed and a stopped replica fail no activation that is tried again', { skip }, async (t) => {
  const { url: databaseUrl, db } = await makeDatabase(t);
  const folder = await mkdtemp(join(tmpdir(), 'replicas-test-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const [port, ...ports] = [await freePort(), await freePort(), await freePort()] as [number, number, number];
  await writeFile(join(folder, 'haproxy.cfg'), await configurationOf(port, ports));
  const start = (at: 0 | 1) =>
    run(t, {
      ...settings,
      DATABASE_URL: databaseUrl,
      ADMIN_SECRET: 'admin-secret-of-the-tests',
      PUBLISH_SECRET: 'publish-secret-of-the-tests',
      SIGNING_KEY_SECRET: 'key-secret-of-the-tests',
      CONTROL_PLANE_PORT: String(ports[at]),
      TRUST_PROXY: 'loopback',
      DRAIN_SECONDS: '5',
    });
  const replicas = [start(0), start(1)];
  const [one, two] = (await Promise.all(replicas.map(({ url }) => url))) as [string, string];
  const proxy = spawn(pathOf('haproxy'), ['-db', '-f', join(folder, 'haproxy.cfg')], { stdio: 'ignore' });
  const proxyEnded = once(proxy, 'exit');
  t.teardown(async () => {
    proxy.kill('SIGKILL');
    await proxyEnded;
  });
  const url = `http://127.0.0.1:${port}`;
  const admin = callerOf(one, { authorization: 'Bearer admin-secret-of-the-tests' });
  const publisher = callerOf(two, { authorization: 'Bearer publish-secret-of-the-tests' });
  t.equal((await publisher.post('/releases', firstRelease)).status, 201);

  const minted = await Promise.all(
    [1, 2, 3].map(async (number) => {
      const { body } = await admin.post('/license/keys', { customerId: `customer-${number}`, tier: 'basic' });
      return body.key as string;
    }),
  );
  t.equal((await callerOf(two).post('/license/activate', { key: minted[0] })).status, 200, 'minted at the other one');

  const counts = { activated: 0, triedAgain: 0 };
  const tokens: string[] = [];
  const failed: string[] = [];
  let isOver = false;
  const activate = async (key: string) => {
    let last: number | string = '';
    for (let attempt = 0; attempt < 40; attempt += 1) {
      const answer = await callerOf(url)
        .post('/license/activate', { key })
        .catch((error: Error) => ({ status: 0, body: error.message }));
      last = answer.status;
      if (answer.status === 200) {
        counts.activated += 1;
        tokens.push(answer.body.token);
        return;
      }
      // As the installer does.
      if (answer.status !== 0 && answer.status < 500) break;
      counts.triedAgain += 1;
      await sleep(250);
    }
    failed.push(`an activation ended with ${last}`);
  };
  const load = Promise.all(
    minted.map(async (key) => {
      while (!isOver) {
        await activate(key);
        await sleep(50);
      }
    }),
  );
  const untilActivated = async (more: number) => {
    const goal = counts.activated + more;
    while (counts.activated < goal && failed.length === 0) await sleep(50);
  };
  await untilActivated(10);
  replicas[1]?.child.kill('SIGKILL');
  await replicas[1]?.ended;
  await untilActivated(10);
  const again = start(1);
  await again.url;
  await untilActivated(5);
  const rotated = await admin.post('/signing-keys/rotate');
  t.equal(rotated.status, 201);
  await untilActivated(5);
  replicas[0]?.child.kill('SIGTERM');
  t.equal(await replicas[0]?.ended, 0);
  await untilActivated(5);
  const back = start(0);
  await back.url;
  await untilActivated(5);
  isOver = true;
  await load;
  t.strictSame(failed, []);
  t.ok(counts.activated >= 40, `${counts.activated} activations, ${counts.triedAgain} tries again`);

  const sets = await Promise.all(
    [one, two].map(async (each) => (await callerOf(each).get('/.well-known/jwks.json')).body),
  );
  t.strictSame(sets[0], sets[1], 'both know the rotation');
  const keys = createLocalJWKSet(sets[0]);
  const kids = new Set<string>();
  for (const token of tokens) kids.add((await jwtVerify(token, keys)).protectedHeader.kid as string);
  t.strictSame(kids, new Set([rotated.body.retired.kid, rotated.body.kid]), 'tokens of before and after it verify');
  t.equal((await db('journal').where({ operationId: 'rotateSigningKey' })).length, 1);
});

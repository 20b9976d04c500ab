/**
 * The contract's rows of the control plane against `npm run control-plane` alone, on a PostgreSQL server and on its
 * embedded one.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { callerOf, createTestDatabase, temporaryFolder } from '@carton/runtime/testing';
import t, { type Test } from 'tap';
import { firstRelease } from '../../control-plane/test/release.ts';
import { testControlPlaneRows } from '../../tools/contract-rows/control-plane.ts';
import { root } from './support/stack.ts';

/** Starts the control plane with these settings of its database, publishes a release, and returns it. */
async function start(t: Test, database: Record<string, string>) {
  const [adminSecret, registrySecret, publishSecret] = [1, 2, 3].map(() => randomBytes(24).toString('hex')) as [
    string,
    string,
    string,
  ];
  const registryUrl = 'https://registry.example';
  const child = spawn('npm', ['run', 'control-plane'], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      ADMIN_SECRET: adminSecret,
      REGISTRY_SECRET: registrySecret,
      PUBLISH_SECRET: publishSecret,
      REGISTRY_URL: registryUrl,
      NAMESERVERS: 'ns1.vendor.example,ns2.vendor.example',
      CONTROL_PLANE_PORT: '0',
      ...database,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  t.teardown(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.includes('"msg":"listening"')) continue;
    const { url } = JSON.parse(line) as { url: string };
    const publisher = callerOf(url, { authorization: `Bearer ${publishSecret}` });
    const { status, body } = await publisher.post('/releases', firstRelease);
    if (status !== 201) throw new Error(JSON.stringify(body));
    child.stdout.resume();
    return { url, adminSecret, registrySecret, registryUrl };
  }
  throw new Error('the control plane exited before it listened');
}

t.test('on a PostgreSQL server', async (t) => {
  const { url, drop } = await createTestDatabase('empty');
  t.teardown(drop);
  await testControlPlaneRows(t, await start(t, { DATABASE_URL: url }));
});

t.test('on the embedded one', async (t) => {
  const home = await temporaryFolder('control-plane-');
  t.teardown(() => rm(home, { recursive: true, force: true }));
  await testControlPlaneRows(t, await start(t, { CONTROL_PLANE_HOME: home }));
});

/**
 * A control plane for tests: the real service on a database of its own, and its callers.
 */
import { randomBytes } from 'node:crypto';
import { connect } from '@carton/runtime/service';
import { type Caller, callerOf, createTestDatabase, openTestLog, showLogOfFailures } from '@carton/runtime/testing';
import type { Test } from 'tap';
import { type ControlPlaneOptions, startControlPlane } from '../index.ts';
import { firstRelease } from './release.ts';

/** With secrets that a test can send. */
export type TestOptions = ControlPlaneOptions &
  Record<'adminSecret' | 'registrySecret' | 'publishSecret' | 'hostingSecret', string> & {
    signingKeySecret?: string | undefined;
  };

export const registryUrl = 'http://registry.example:4873';
export const nameservers = ['ns1.vendor.example', 'ns2.vendor.example'];

export type TestControlPlane = Awaited<ReturnType<typeof startTestControlPlane>>;

/** Creates a database that is dropped after the test, and a connection to it. */
export async function makeDatabase(t: Test) {
  const { url, drop } = await createTestDatabase('empty');
  const db = connect({ url, poolSize: 2 });
  t.teardown(async () => {
    await db.destroy();
    await drop();
  });
  return { url, db };
}

/** Options of a control plane on this database, with new secrets. */
export function optionsFor(databaseUrl: string, overrides: Partial<TestOptions> = {}): TestOptions {
  return {
    databaseUrl,
    adminSecret: randomBytes(24).toString('base64url'),
    registrySecret: randomBytes(24).toString('base64url'),
    publishSecret: randomBytes(24).toString('base64url'),
    registryUrl,
    tokenLifetimeSeconds: 3600,
    nameservers,
    // No DNS server listens there: lookups fail at once.
    nameserverLookup: '127.0.0.1:9',
    domainCheckInterval: 0,
    warningInterval: 0,
    rollUpInterval: 0,
    webhookInterval: 0,
    powerdns: null,
    provesDomains: true,
    hostingSecret: randomBytes(24).toString('base64url'),
    allowHttpBackends: false,
    allowPrivateBackends: false,
    ownHosts: ['control.vendor.example'],
    strictResponses: true,
    // Lets a test choose the IP address of its caller.
    trustProxy: true,
    host: '127.0.0.1',
    port: 0,
    ...overrides,
  };
}

/** Starts a control plane that stops with the test. A release is published on it unless `released` is false. */
export async function startTestControlPlane(t: Test, overrides: Partial<TestOptions> = {}, released = true) {
  showLogOfFailures(t);
  const { url: databaseUrl, db } = await makeDatabase(t);
  const options = optionsFor(databaseUrl, overrides);
  const server = await startControlPlane({ log: openTestLog(), ...options });
  t.teardown(() => server.stop());
  const { url } = server;
  const admin = callerOf(url, { authorization: `Bearer ${options.adminSecret}` });
  const publisher = callerOf(url, { authorization: `Bearer ${options.publishSecret}` });
  if (released) {
    const { status, body } = await publisher.post('/releases', firstRelease);
    if (status !== 201) throw new Error(JSON.stringify(body));
  }
  let lastAddress = 0;
  /** A caller without a credential, with a new IP address. */
  const visitor = (): Caller => {
    lastAddress += 1;
    return callerOf(url, { 'x-forwarded-for': `10.0.${lastAddress >> 8}.${lastAddress & 255}` });
  };
  return {
    url,
    databaseUrl,
    db,
    options,
    server,
    admin,
    publisher,
    visitor,
    registry: callerOf(url, { authorization: `Bearer ${options.registrySecret}` }),
    /** Mints a licence. */
    async mint(customerId = `customer-${randomBytes(4).toString('hex')}`, tier = 'basic', expiresAt?: string) {
      const { status, body } = await admin.post('/license/keys', { customerId, tier, expiresAt });
      if (status !== 201) throw new Error(JSON.stringify(body));
      return body as { key: string; id: string; customerId: string; tier: string; last4: string };
    },
    /** Creates an administrator with a name of its own. */
    async administrator(role: 'reader' | 'manager' | 'owner') {
      const name = `${role}-${randomBytes(4).toString('hex')}`;
      const { status, body } = await admin.post('/administrators', { name, role });
      if (status !== 201) throw new Error(JSON.stringify(body));
      const { id, secret } = body as { id: string; secret: string };
      return { id, name, secret, caller: callerOf(url, { authorization: `Bearer ${secret}` }) };
    },
    /** Sets the expiry of a licence to a second ago. */
    async expire(id: string) {
      await db('license_keys')
        .where({ id })
        .update({ expiresAt: db.raw("now() - interval '1 second'") });
    },
  };
}

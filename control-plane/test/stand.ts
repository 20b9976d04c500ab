/**
 * What the control plane's tests stand on: the real service on a real database of its own, and its callers.
 */
import { randomBytes } from 'node:crypto';
import { connect, vendor } from '@carton/runtime/service';
import { type Caller, callerOf, createTestDatabase } from '@carton/runtime/testing';
import type { Test } from 'tap';
import { type ControlPlaneOptions, startControlPlane } from '../index.ts';
import { firstRelease } from './release.ts';

export const registryUrl = 'http://registry.example:4873';
export const nameservers = ['ns1.vendor.example', 'ns2.vendor.example'];

export type Stand = Awaited<ReturnType<typeof startStand>>;

/** A database that goes away with the test, and a connection to look into it. */
export async function makeDatabase(t: Test) {
  const { url, drop } = await createTestDatabase('empty');
  const db = connect({ url, poolSize: 2 });
  t.teardown(async () => {
    await db.destroy();
    await drop();
  });
  return { url, db };
}

/** Settings of a control plane on this database, with secrets of its own. */
export function optionsFor(databaseUrl: string, overrides: Partial<ControlPlaneOptions> = {}): ControlPlaneOptions {
  return {
    databaseUrl,
    adminSecret: randomBytes(24).toString('base64url'),
    registrySecret: randomBytes(24).toString('base64url'),
    publishSecret: randomBytes(24).toString('base64url'),
    registryUrl,
    tokenLifetimeSeconds: 3600,
    nameservers,
    strictResponses: true,
    // So that a test can choose the address its caller comes from.
    trustProxy: true,
    host: '127.0.0.1',
    port: 0,
    ...overrides,
  };
}

/** A control plane that stops with the test; its first release is published unless `released` is false. */
export async function startStand(t: Test, overrides: Partial<ControlPlaneOptions> = {}, released = true) {
  const { url: databaseUrl, db } = await makeDatabase(t);
  const options = optionsFor(databaseUrl, overrides);
  const controlPlane = await startControlPlane(options);
  t.teardown(() => controlPlane.stop());
  const { url } = controlPlane;
  const admin = callerOf(url, { authorization: `Bearer ${options.adminSecret}` });
  const publisher = callerOf(url, { authorization: `Bearer ${options.publishSecret}` });
  if (released) {
    const { status, body } = await publisher.post('/releases', firstRelease);
    if (status !== 201) throw new Error(JSON.stringify(body));
  }
  let lastAddress = 0;
  /** Somebody without a credential, from an address that nobody else has. */
  const visitor = (): Caller => {
    lastAddress += 1;
    return callerOf(url, { 'x-forwarded-for': `10.0.${lastAddress >> 8}.${lastAddress & 255}` });
  };
  return {
    url,
    databaseUrl,
    db,
    options,
    controlPlane,
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
    /** Lets a licence have expired a moment ago. */
    async expire(id: string) {
      await db('license_keys')
        .where({ id })
        .update({ expiresAt: db.raw("now() - interval '1 second'") });
    },
  };
}

/** The full name of a package. */
export const named = (short: string) => `${vendor.scope}/${short}`;

/**
 * API keys for tests.
 */
import { type Caller, callerOf, type TestBox, type TestTenant } from '@carton/runtime/testing';

export const packages = ['core', 'auth', 'tenant', 'api-key', 'audit'].map((name) => `@carton/${name}`);

export interface Key extends Caller {
  id: string;
  key: string;
  lastFour: string;
}

/** Creates a key, and a caller that sends it. */
export async function createKey(
  box: TestBox,
  scopes: readonly string[],
  {
    tenant = box,
    creator = tenant.staff,
    ...more
  }: { tenant?: TestTenant; creator?: Caller; name?: string; kind?: string; expiresAt?: string } = {},
): Promise<Key> {
  const { body } = await creator.post('/admin/api-keys', { name: 'Warehouse', kind: 'secret', scopes, ...more });
  const caller = callerOf(box.url, { ...tenant.visitor().headers, authorization: `Bearer ${body.key}` });
  return { ...caller, id: body.id, key: body.key, lastFour: body.lastFour };
}

/** Hires a member of staff and logs in. */
export async function hire(box: TestBox, role: string): Promise<Caller> {
  const email = `${role}@shop.example`;
  const password = 'correct horse battery';
  const { token } = (await box.staff.post('/admin/invites', { email, role })).body;
  await box.visitor().post('/admin/invites/accept', { token, name: role, password });
  const login = await box.visitor().post('/admin/auth/login', { email, password });
  return callerOf(box.url, { ...box.visitor().headers, authorization: `Bearer ${login.body.token}` });
}

/**
 * A box as the suite sees it: two shops in it, their staff and shoppers, and staff with fewer rights.
 */
import { randomBytes } from 'node:crypto';
import { tenantProblems } from '../../box/tenancy.ts';
import type { RouteDeclaration } from '../../http/route.ts';
import type { TObject } from '../../http/schemas.ts';
import type { TestBox, TestTenant } from '../box.ts';
import type { Caller } from '../client.ts';
import { openRows } from './rows.ts';
import type { Side, Target, WeakCaller } from './target.ts';
import type { RequestHeaders } from './wire.ts';

/** Where whoever works here asks about themselves, and where one comes in without a credential yet. */
const ownAffairs = /^\/admin\/(me|auth|invites\/accept)(\/|$)/;

/** @param teardown is given what has to be closed at the end */
export async function boxTarget(box: TestBox, teardown: (task: () => Promise<void>) => void): Promise<Target> {
  // What the background worker writes when it likes.
  const rows = openRows(box.databaseUrl, {
    tables: ['background_tasks', 'event_deliveries'],
    columns: ['dispatched_at'],
  });
  teardown(() => rows.close());
  const second = await box.openTenant();
  const declarations = box.box.routes.map(({ declaration }) => declaration);
  return {
    url: box.url,
    declarations,
    commonProblems: tenantProblems,
    optionalAccess: new Set(box.box.accessKinds.filter(({ optional }) => optional).map(({ name }) => name)),
    wideAccess: new Set(['operator', 'hosting', 'metrics']),
    needsNoPermission: ({ path }) => ownAffairs.test(path),
    sides: [await sideOf(box, box, declarations), await sideOf(box, second, declarations)],
    sidesAreReached: true,
    rows,
  };
}

async function sideOf(box: TestBox, tenant: TestTenant, declarations: readonly RouteDeclaration[]): Promise<Side> {
  const host = `${tenant.slug}.example`;
  const domain = await box.operator.post(`/admin/tenants/${tenant.id}/domains`, { host });
  const me = await tenant.staff.get('/admin/me');
  const staff: RequestHeaders = { authorization: tenant.staff.headers.authorization as string };
  const weak = await weakCallers(box, tenant, declarations);
  const credentials: Record<string, RequestHeaders> = {
    staff,
    ...(await sessionOf(tenant, declarations)),
    operator: { authorization: box.operator.headers.authorization as string },
    hosting: { 'x-hosting-secret': box.secrets.hosting },
    metrics: { authorization: `Bearer ${box.secrets.metrics}` },
  };
  return {
    name: tenant.slug,
    marker: `mark${randomBytes(4).toString('hex')}`,
    identity: tenant.id,
    secrets: [tenant.slug],
    kept: [domain.body.id, me.body.id, ...weak.kept],
    reach: () => ({ host }),
    credential: (kind) => credentials[kind],
    async renew(kind) {
      if (kind !== 'staff') return;
      const login = await tenant
        .visitor()
        .post('/admin/auth/login', { email: tenant.email, password: tenant.password });
      if (login.status === 200) staff.authorization = `Bearer ${login.body.token}`;
    },
    weak: weak.callers,
    known: [{ email: tenant.email, password: tenant.password }],
  };
}

/** A session as the first write to the cart begins it, where there are carts. */
async function sessionOf(
  tenant: TestTenant,
  declarations: readonly RouteDeclaration[],
): Promise<Record<string, RequestHeaders>> {
  if (!declarations.some(({ operationId }) => operationId === 'updateCart')) return {};
  const { headers } = await tenant.visitor().patch('/cart', { note: 'begun' });
  return { session: { 'x-session-id': headers.get('x-session-id') as string } };
}

/** Staff of each role that an invite may give, and keys that open one thing each. */
async function weakCallers(box: TestBox, tenant: TestTenant, declarations: readonly RouteDeclaration[]) {
  const invite = declarations.find(({ operationId }) => operationId === 'createInvite');
  const roles = ((invite?.body as TObject | undefined)?.properties.role?.enum ?? []) as string[];
  const hasKeys = declarations.some(({ operationId }) => operationId === 'createApiKey');
  // Two of them: what one may, the other may not.
  const scopes = hasKeys ? box.box.permissions.slice(0, 2) : [];
  const found = await Promise.all([
    ...roles.map((role) => staffOfRole(tenant, role)),
    ...scopes.map((scope) => keyOf(tenant, scope)),
  ]);
  return { callers: found.map(({ caller }) => caller), kept: found.map(({ id }) => id) };
}

async function staffOfRole(tenant: TestTenant, role: string): Promise<{ caller: WeakCaller; id: string }> {
  const email = `a-${role}@${tenant.slug}.example`;
  const password = randomBytes(12).toString('base64url');
  const visitor: Caller = tenant.visitor();
  const { body } = await tenant.staff.post('/admin/invites', { email, role });
  await visitor.post('/admin/invites/accept', { token: body.token, name: role, password });
  const { token } = (await visitor.post('/admin/auth/login', { email, password })).body;
  const headers = { authorization: `Bearer ${token}` };
  const me = await visitor.get('/admin/me', { headers });
  return { caller: { kind: 'staff', headers, permissions: me.body.permissions }, id: me.body.id };
}

/** A key in place of a member of staff. */
async function keyOf(tenant: TestTenant, scope: string): Promise<{ caller: WeakCaller; id: string }> {
  const { body } = await tenant.staff.post('/admin/api-keys', { name: scope, kind: 'secret', scopes: [scope] });
  const headers = { authorization: `Bearer ${body.key}` };
  // Its first use is written down: that is no change of a request that is refused later.
  await tenant.visitor().get('/admin/api-keys', { headers });
  return { caller: { kind: 'staff', headers, permissions: [scope] }, id: body.id };
}

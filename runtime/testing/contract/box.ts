/**
 * A box as the target of the suite: two tenants, their staff and shoppers, and staff with limited permissions.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { tenantProblems } from '../../box/tenancy.ts';
import type { RouteDeclaration } from '../../http/route.ts';
import type { TObject } from '../../http/schemas.ts';
import type { TestBox } from '../box.ts';
import type { Caller } from '../client.ts';
import type { DescribedBox } from '../described-box.ts';
import type { OpenedTenant } from '../tenant.ts';
import { until } from '../waiting.ts';
import { openRows } from './rows.ts';
import type { LimitedCaller, Side, Target } from './target.ts';
import type { RequestHeaders } from './wire.ts';

/** Routes about the caller's own account, and those to sign in. */
const ownAccount = /^\/admin\/(me|auth|invites\/accept)(\/|$)/;

/** A member with an open session. */
interface MemberCaller {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  readonly headers: Caller['headers'];
}

/** A running box, in this process or not, and its first tenant. */
export type ContractBox<Tenant extends OpenedTenant = OpenedTenant> = Tenant &
  Pick<TestBox, 'url' | 'databaseUrl' | 'operator' | 'secrets'> & {
    /** Its own description; of a box that runs elsewhere, that of the sources of its packages. */
    box: DescribedBox;
    openTenant(): Promise<Tenant>;
  };

export interface BoxTargetOptions<Tenant extends OpenedTenant> {
  /** Creates a member, if the box has a package for them. */
  createMember?: (tenant: Tenant) => Promise<MemberCaller>;
  /** Sends the requests. Default: connections to the box. */
  sender?: Target['sender'];
}

/** @param teardown receives the tasks that release resources at the end */
export async function boxTarget<Tenant extends OpenedTenant>(
  box: ContractBox<Tenant>,
  teardown: (task: () => Promise<void>) => void,
  { createMember, sender }: BoxTargetOptions<Tenant> = {},
): Promise<Target> {
  // The background worker writes these at any time.
  const rows = openRows(box.databaseUrl, {
    tables: [
      'background_tasks',
      'event_deliveries',
      'product_stock',
      'product_stock_refreshes',
      // One row for all tenants, with the one that has claimed a host last.
      'tenant_domain_claims',
    ],
    // The version of goods is replaced behind the commit of a job, too.
    columns: ['dispatched_at', 'goods'],
    // A job deletes expired files.
    rows: { media_files: 'expires_at is not null' },
  });
  teardown(() => rows.close());
  const second = await box.openTenant();
  const declarations = box.box.routes.map(({ declaration }) => declaration);
  return {
    url: box.url,
    ...(sender && { sender }),
    declarations,
    commonProblems: tenantProblems,
    optionalAccess: new Set(box.box.accessKinds.filter(({ optional }) => optional).map(({ name }) => name)),
    wideAccess: new Set(['operator', 'hosting', 'metrics']),
    needsNoPermission: ({ path }) => ownAccount.test(path),
    sides: [await sideOf(box, box, declarations, createMember), await sideOf(box, second, declarations, createMember)],
    requestsNameSide: true,
    rows,
    finished: ({ identity }) => untilDelivered(box.databaseUrl, identity),
  };
}

/** Resolves when no event of a tenant waits for its dispatch, and no delivery is due. Failed ones are due later. */
async function untilDelivered(databaseUrl: string, tenantId: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`select set_config('carton.tenant_id', $1, false)`, [tenantId]);
    const waiting = () =>
      client.query<{ waiting: boolean }>(
        `select exists (select from event_outbox where tenant_id = $1 and dispatched_at is null)
             or exists (select from event_deliveries
                         where tenant_id = $1 and status = 'pending' and next_attempt_at <= now()) as waiting`,
        [tenantId],
      );
    await until(waiting, ({ rows }) => rows[0]?.waiting === false);
  } finally {
    await client.end();
  }
}

async function sideOf<Tenant extends OpenedTenant>(
  box: ContractBox<Tenant>,
  tenant: Tenant,
  declarations: readonly RouteDeclaration[],
  createMember: BoxTargetOptions<Tenant>['createMember'],
): Promise<Side> {
  const host = `${tenant.slug}.example`;
  const domain = await box.operator.post(`/admin/tenants/${tenant.id}/domains`, { host });
  const me = await tenant.staff.get('/admin/me');
  const staff: RequestHeaders = { authorization: tenant.staff.headers.authorization as string };
  const limited = await limitedCallers(box, tenant, declarations);
  const person = await createMember?.(tenant);
  const member: RequestHeaders = person ? authorizationOf(person) : {};
  const credentials: Record<string, RequestHeaders> = {
    staff,
    ...(await sessionOf(tenant, declarations)),
    ...(person && { member }),
    operator: { authorization: box.operator.headers.authorization as string },
    hosting: { 'x-hosting-secret': box.secrets.hosting },
    metrics: { authorization: `Bearer ${box.secrets.metrics}` },
  };
  return {
    name: tenant.slug,
    marker: `mark${randomBytes(4).toString('hex')}`,
    identity: tenant.id,
    secrets: [tenant.slug],
    reserved: [domain.body.id, me.body.id, ...limited.reserved, ...(person ? [person.id] : [])],
    routingHeaders: () => ({ host }),
    credential: (kind) => credentials[kind],
    async renew(kind) {
      if (kind === 'member' && createMember) Object.assign(member, authorizationOf(await createMember(tenant)));
      if (kind === 'staff') staff.authorization = await logInAgain(tenant);
    },
    limited: limited.callers,
    known: [tenant, ...(person ? [person] : [])].map(({ email, password }) => ({ email, password })),
  };
}

/** Logs in the owner, whose account other requests of the suite may have throttled with wrong passwords. */
export async function logInAgain(tenant: OpenedTenant): Promise<string> {
  const { email, password } = tenant;
  for (;;) {
    const login = await tenant.visitor().post('/admin/auth/login', { email, password });
    if (login.status === 200) return `Bearer ${login.body.token}`;
    if (login.status !== 429) throw new Error(`The owner cannot log in again: ${JSON.stringify(login.body)}`);
    await setTimeout(Number(login.headers.get('retry-after')) * 1000);
  }
}

function authorizationOf({ headers }: Pick<MemberCaller, 'headers'>): RequestHeaders {
  return { authorization: headers.authorization as string };
}

/** A session, started by a write to the cart if the box has carts. */
async function sessionOf(
  tenant: OpenedTenant,
  declarations: readonly RouteDeclaration[],
): Promise<Record<string, RequestHeaders>> {
  if (!declarations.some(({ operationId }) => operationId === 'updateCart')) return {};
  const { headers } = await tenant.visitor().patch('/cart', { note: 'A note' });
  return { session: { 'x-session-id': headers.get('x-session-id') as string } };
}

/** Staff of each role that an invite allows, and API keys with one scope each. */
async function limitedCallers(box: ContractBox, tenant: OpenedTenant, declarations: readonly RouteDeclaration[]) {
  const invite = declarations.find(({ operationId }) => operationId === 'createInvite');
  const roles = ((invite?.body as TObject | undefined)?.properties.role?.enum ?? []) as string[];
  const hasKeys = declarations.some(({ operationId }) => operationId === 'createApiKey');
  // Two keys: each lacks the other's permission.
  const scopes = hasKeys ? box.box.permissions.slice(0, 2) : [];
  const found = await Promise.all([
    ...roles.map((role) => staffOfRole(tenant, role)),
    ...scopes.map((scope) => keyOf(tenant, scope)),
  ]);
  return { callers: found.map(({ caller }) => caller), reserved: found.map(({ id }) => id) };
}

async function staffOfRole(tenant: OpenedTenant, role: string): Promise<{ caller: LimitedCaller; id: string }> {
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

/** An API key as a caller. */
async function keyOf(tenant: OpenedTenant, scope: string): Promise<{ caller: LimitedCaller; id: string }> {
  const { body } = await tenant.staff.post('/admin/api-keys', { name: scope, kind: 'secret', scopes: [scope] });
  const headers = { authorization: `Bearer ${body.key}` };
  // Its first use is recorded here, so that later refused requests change nothing.
  await tenant.visitor().get('/admin/api-keys', { headers });
  return { caller: { kind: 'staff', headers, permissions: [scope] }, id: body.id };
}

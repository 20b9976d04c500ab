/**
 * Each operation accepts exactly the callers that docs/routes.md names: it is called as every kind of caller, with a
 * request that has another fault, so that nothing comes of it.
 */
import { hire } from '@carton/auth/testing';
import { createMember } from '@carton/member/testing';
import { newId } from '@carton/runtime';
import { type Caller, callerOf, createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { accessKindsOf, type RouteDeclaration } from '../../../runtime/http/route.ts';
import { type CallerName, callers, callersOf } from '../callers.ts';

const box = await createTestBox(t);
/** The operations of packages: the table does not have those of the engine. */
const declarations: RouteDeclaration[] = box.box.routes
  .map(({ declaration }) => declaration)
  .filter(({ path }) => !/^\/(health|metrics|docs)\b/.test(path))
  // A log-out needs no body: it ends the session of the caller.
  .toSorted((a, b) => Number(/logout/.test(a.path)) - Number(/logout/.test(b.path)));
const permissions = [...new Set(declarations.flatMap(({ permission }) => permission || []))];

const session = box.shopper();
await session.put('/cart/shipping-address', { country: 'FR' });
const hosted = { ...box.visitor().headers };
const by: Record<Exclude<CallerName, 'API key'>, Caller> = {
  anyone: box.visitor(),
  session,
  member: await createMember(box),
  viewer: await hire(box, 'viewer'),
  manager: await hire(box, 'manager'),
  owner: await hire(box, 'owner'),
  operator: callerOf(box.url, { ...hosted, ...box.operator.headers }),
  hosting: callerOf(box.url, { ...hosted, ...box.hosting.headers }),
};

/** A key with these scopes. */
async function keyWith(scopes: readonly string[]): Promise<Caller> {
  const { status, body } = await box.staff.post('/admin/api-keys', { name: 'Integration', kind: 'secret', scopes });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return callerOf(box.url, { ...hosted, authorization: `Bearer ${body.key}` });
}

/** For each permission, a key that has it alone, and one that has all others. */
const keys = new Map<string, { having: Caller; lacking: Caller }>();
for (const permission of permissions) {
  const others = permissions.filter((each) => each !== permission);
  keys.set(permission, { having: await keyWith([permission]), lacking: await keyWith(others) });
}

function withoutHosting(caller: Caller): Caller {
  if (caller === by.hosting) return caller;
  const { 'x-hosting-secret': _, ...headers } = caller.headers;
  return callerOf(box.url, headers);
}

/** Whether the caller is refused, and not the request. */
async function isRefused(caller: Caller, declaration: RouteDeclaration): Promise<boolean> {
  const { method, path } = declaration;
  const filled = path.replaceAll(/:\w+/g, newId());
  // Tests name their tenant with the secret of the hosting layer, which operations of the box do not need.
  const own = accessKindsOf(declaration).includes('hosting') ? withoutHosting(caller) : caller;
  const { status, body } = await own[method](`${filled}?no-such-parameter=1`);
  if (status >= 500) throw new Error(`${method} ${path}: ${status}`);
  return status === 401 || (status === 403 && body.code === 'forbidden');
}

t.test('each operation accepts the callers that its table names', async (t) => {
  for (const declaration of declarations) {
    const accepted: CallerName[] = [];
    for (const name of callers) {
      const key = keys.get(declaration.permission || '') ?? keys.get('product:read');
      const caller = name === 'API key' ? key?.having : by[name];
      if (caller && !(await isRefused(caller, declaration))) accepted.push(name);
    }
    t.strictSame(accepted, callersOf(declaration), declaration.operationId);
  }
});

t.test('no operation accepts a key that has every scope but its own', async (t) => {
  for (const declaration of declarations) {
    const key = keys.get(declaration.permission || '');
    if (key) t.ok(await isRefused(key.lacking, declaration), declaration.operationId);
  }
});

/**
 * A handler receives the caller that its route's access authenticates, and no other: at compile time, and in a box.
 */
import t from 'tap';
import type { BoxAccessKind } from '../box/callers.ts';
import { type Box, resource, route, type StaffCaller, shapesOf, Type } from '../index.ts';
import { metricsAccess } from '../operations/metrics/access.ts';
import { createTestBox } from '../testing/box.ts';
import { writePackage } from '../testing/written-package.ts';

const base = {
  method: 'get',
  path: '/things',
  tag: 'Things',
  summary: 'A thing',
  operationId: 'a',
  status: 204,
} as const;

/** Compiled but never called: `tsc` reports an expected error that does not occur. */
export const types = () => [
  route({ ...base, access: 'public' }, ({ tenant, db, box }) => [tenant.id, db.tenantId, box satisfies Box]),
  // @ts-expect-error a public route has no staff
  route({ ...base, access: 'public' }, ({ staff }) => staff),
  // @ts-expect-error nor a session
  route({ ...base, access: 'public' }, ({ session }) => session),
  route({ ...base, access: 'session' }, ({ session, tenant }) => [session.begin(), tenant.id]),
  route({ ...base, access: 'session' }, ({ session }) => {
    // @ts-expect-error a guest is not a member
    return session.memberId satisfies string;
  }),
  // @ts-expect-error a shopper is not staff
  route({ ...base, access: 'session' }, ({ staff }) => staff),
  route({ ...base, access: 'member' }, ({ session }) => session.memberId satisfies string),
  route({ ...base, access: 'staff' }, ({ staff, tenant }) => [staff satisfies StaffCaller, tenant.id]),
  route({ ...base, access: 'staff', permission: 'thing:read' }, ({ staff }) => staff.permissions),
  // @ts-expect-error staff are not a shopper
  route({ ...base, access: 'staff' }, ({ session }) => session),
  route({ ...base, access: ['operator', 'staff'] }, ({ staff }) => staff.label),
  route({ ...base, access: ['operator', 'staff'] }, ({ tenant }) => {
    // @ts-expect-error the operator calls without a tenant
    return tenant.id;
  }),
  // @ts-expect-error either of the two may be the caller
  route({ ...base, access: ['staff', 'session'] }, ({ staff }) => staff),
  // @ts-expect-error the hosting layer is not staff
  route({ ...base, access: 'hosting' }, ({ staff }) => staff),
  // @ts-expect-error no kind has this name
  route({ ...base, access: 'stuff' }, () => undefined),
  // @ts-expect-error a public route has no other access
  route({ ...base, access: ['public', 'staff'] }, () => undefined),
  // @ts-expect-error a name that is not known at compile time does not determine the caller
  route({ ...base, access: String('staff') }, () => undefined),
];

const { Item, Page } = shapesOf({ name: 'Thing', fields: { name: Type.String() } });
const things = { path: '/things', noun: 'thing', tag: 'Things', item: Item } as const;
export const resources = () => [
  resource({ ...things, access: 'staff', read: { run: ({ staff }) => ({ name: staff.label }) as never } }),
  // @ts-expect-error a public resource has no staff either
  resource({ ...things, access: 'public', list: { page: Page, run: ({ staff }) => staff } }),
];

const schemes = {};
export const kinds: BoxAccessKind[] = [
  metricsAccess(() => undefined),
  { name: 'staff', schemes, authenticate: () => ({ staff: {} as StaffCaller }) },
  { name: 'apiKey', substitutesFor: 'staff', schemes, authenticate: () => ({ staff: {} as StaffCaller }) },
  // @ts-expect-error staff without `staff`
  { name: 'staff', schemes, authenticate: () => ({ session: {} }) },
  // @ts-expect-error a substitute for staff is authenticated as staff
  { name: 'session', substitutesFor: 'staff', schemes, authenticate: () => null },
];

const index = `import { definePackage, object, route, Type } from '@carton/runtime';
const response = object({ services: Type.Array(Type.String()) });
const readServices = (access) => route(
  { method: 'get', path: '/services/' + access, operationId: 'readServices' + access, tag: 'Services', summary: 'Read services', access, permission: false, status: 200, response },
  (services) => ({ services: ['staff', 'session', 'tenant'].filter((name) => services[name]) }),
);
export default definePackage({ routes: ['public', 'session', 'staff', 'operator', 'hosting'].map(readServices) });
`;

t.test('handlers receive the callers that their types declare', async (t) => {
  const written = await writePackage(t, { name: 'services', dependencies: ['core', 'auth'], index }, ['tenant']);
  const box = await createTestBox(t, { ...written, database: 'empty' });
  const read = async (caller: typeof box.staff, access: string) =>
    (await caller.get(`/services/${access}`)).body.services;
  t.strictSame(await read(box.staff, 'public'), ['tenant'], 'also when staff call');
  t.strictSame(await read(box.shopper(), 'session'), ['session', 'tenant']);
  t.strictSame(await read(box.staff, 'staff'), ['staff', 'tenant']);
  t.strictSame(await read(box.operator, 'operator'), ['staff', 'tenant'], 'the only tenant of the box');
  t.strictSame(await read(box.hosting, 'hosting'), ['tenant']);
  await box.openTenant();
  t.strictSame(await read(box.operator, 'operator'), ['staff'], 'neither of two tenants');
});

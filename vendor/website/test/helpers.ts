/**
 * What tests of the website share.
 */
import { bodyOf, createTestBox, type TestBoxOptions, type TestTenant } from '@carton/runtime/testing';

const packages = ['core', 'auth', 'tenant', 'product', 'category', 'website'].map((name) => `@carton/${name}`);
export const unknownId = '0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001';

export function openBox(t: Parameters<typeof createTestBox>[0], options: TestBoxOptions = {}) {
  return createTestBox(t, { packages, tier: 'basic', ...options });
}

export function createPage({ staff }: TestTenant, fields: Record<string, unknown>) {
  return bodyOf(staff.post('/admin/pages', { title: 'Page', ...fields }));
}

/** Where a path leads: null for nowhere. */
export async function targetOf(tenant: TestTenant, path: string): Promise<string | null> {
  const { status, body } = await tenant.visitor().get(`/redirects/resolve?path=${encodeURIComponent(path)}`);
  return status === 404 ? null : body.target;
}

/** All redirects: `/a /b`. */
export async function allOf({ db }: TestTenant): Promise<string[]> {
  const rows = await db.query<{ path: string; target: string }>(
    'select path, target from redirects where tenant_id = $1 order by path',
  );
  return rows.map(({ path, target }) => `${path} ${target}`);
}

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

/**
 * Helpers of the tests of products.
 */
import type { TestTenant } from '@carton/runtime/testing';

/** The least that products need. */
export const packages = ['core', 'auth', 'tenant', 'product'].map((name) => `@carton/${name}`);

export const shirt = {
  title: 'Linen shirt',
  options: [
    { name: 'Size', values: ['S', 'M'] },
    { name: 'Colour', values: ['Red', 'Blue'] },
  ],
};

export async function createProduct({ staff }: Pick<TestTenant, 'staff'>, body: Record<string, unknown>) {
  const created = await staff.post('/admin/products', body);
  if (created.status !== 201) throw new Error(JSON.stringify(created.body));
  return created.body;
}

/** Creates a product, by default a published one. */
export const publishProduct = (tenant: Pick<TestTenant, 'staff'>, body: Record<string, unknown>) =>
  createProduct(tenant, { status: 'published', ...body });

/**
 * A shop with products for sale, opened the way an operator and a merchant would: over the box's own API.
 */
import { type Caller, callerOf } from '@carton/runtime/testing';

export interface LoadTenant {
  tenantId: string;
  slug: string;
  /** Headers that reach it, on a box of several shops. */
  reach: Record<string, string>;
  /** Ids of variants that are for sale, each of a product of its own. */
  variants: string[];
}

export interface TenantOptions {
  secrets: { operatorSecret: string; hostingSecret: string };
  slug: string;
  products: number;
  /** So many of each. */
  stock: number;
}

/** Opens a shop with so many products for sale, one variant each. @throws Error with the answer that was none */
export async function openTenantAt(
  url: string,
  { secrets, slug, products, stock }: TenantOptions,
): Promise<LoadTenant> {
  const operator = callerOf(url, { authorization: `Bearer ${secrets.operatorSecret}` });
  const email = `owner@${slug}.example`;
  const password = secrets.hostingSecret;
  const tenant = await expect(operator.post('/admin/tenants', { slug, name: slug, staffEmail: email }));
  const reach = { 'x-tenant-slug': slug, 'x-hosting-secret': secrets.hostingSecret };
  const visitor = callerOf(url, reach);
  await expect(visitor.post('/admin/invites/accept', { token: tenant.invite.token, name: 'Owner', password }));
  const { token } = await expect(visitor.post('/admin/auth/login', { email, password }));
  const staff = callerOf(url, { ...reach, authorization: `Bearer ${token}` });
  const variants: string[] = [];
  for (let number = 1; number <= products; number++) {
    const handle = `product-${number}`;
    const product = await expect(
      staff.post('/admin/products', {
        title: `Product ${number}`,
        handle,
        description: 'Made to be measured.',
        status: 'published',
        variants: [{ sku: handle }],
      }),
    );
    const { id } = product.variants[0];
    await expect(staff.put(`/admin/variants/${id}/prices`, { prices: [{ currency: 'EUR', amount: 1999 }] }));
    const { items } = await expect(staff.get(`/admin/stock-items?variantId=${id}`));
    await expect(staff.post(`/admin/stock-items/${items[0].id}/adjustments`, { quantity: stock, reason: 'received' }));
    variants.push(id);
  }
  return { tenantId: tenant.id, slug, reach, variants };
}

async function expect(answer: ReturnType<Caller['get']>) {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(`the shop could not be made: ${JSON.stringify(body)}`);
  return body;
}

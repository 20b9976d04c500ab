/**
 * Creates a tenant with products for sale over the box's own API, as an operator and staff do.
 */
import { type Caller, callerOf } from '@carton/runtime/testing';

export interface LoadTenant {
  tenantId: string;
  slug: string;
  /** Headers that name the tenant, on a box with several. */
  tenantHeaders: Record<string, string>;
  /** Headers of the owner, signed in. */
  staffHeaders: Record<string, string>;
  /** Ids of the variants for sale, one per product. */
  variants: string[];
}

export interface TenantOptions {
  secrets: { operatorSecret: string; hostingSecret: string };
  slug: string;
  products: number;
  /** Units of each product. */
  stock: number;
}

/** Creates a tenant with published products, one variant each. @throws Error with an unexpected response */
export async function openTenantAt(
  url: string,
  { secrets, slug, products, stock }: TenantOptions,
): Promise<LoadTenant> {
  const operator = callerOf(url, { authorization: `Bearer ${secrets.operatorSecret}` });
  const email = `owner@${slug}.example`;
  const password = secrets.hostingSecret;
  const tenant = await requireSuccess(operator.post('/admin/tenants', { slug, name: slug, staffEmail: email }));
  const tenantHeaders = { 'x-tenant-slug': slug, 'x-hosting-secret': secrets.hostingSecret };
  const visitor = callerOf(url, tenantHeaders);
  await requireSuccess(visitor.post('/admin/invites/accept', { token: tenant.invite.token, name: 'Owner', password }));
  const { staffHeaders } = await signInAt(url, { hostingSecret: secrets.hostingSecret, slug, password });
  const staff = callerOf(url, staffHeaders);
  const variants: string[] = [];
  for (let number = 1; number <= products; number++) {
    const handle = `product-${number}`;
    const product = await requireSuccess(
      staff.post('/admin/products', {
        title: `Product ${number}`,
        handle,
        description: 'Made to be measured.',
        status: 'published',
        variants: [{ sku: handle }],
      }),
    );
    const { id } = product.variants[0];
    await requireSuccess(staff.put(`/admin/variants/${id}/prices`, { prices: [{ currency: 'EUR', amount: 1999 }] }));
    const { items } = await requireSuccess(staff.get(`/admin/stock-items?variantId=${id}`));
    await requireSuccess(
      staff.post(`/admin/stock-items/${items[0].id}/adjustments`, { quantity: stock, reason: 'received' }),
    );
    variants.push(id);
  }
  return { tenantId: tenant.id, slug, tenantHeaders, staffHeaders, variants };
}

/** Signs in as the owner of a tenant that `openTenantAt` created; the password is the hosting secret of that time. */
export async function signInAt(
  url: string,
  { hostingSecret, slug, password }: { hostingSecret: string; slug: string; password: string },
): Promise<Pick<LoadTenant, 'tenantHeaders' | 'staffHeaders'>> {
  const tenantHeaders = { 'x-tenant-slug': slug, 'x-hosting-secret': hostingSecret };
  const login = { email: `owner@${slug}.example`, password };
  const { token } = await requireSuccess(callerOf(url, tenantHeaders).post('/admin/auth/login', login));
  return { tenantHeaders, staffHeaders: { ...tenantHeaders, authorization: `Bearer ${token}` } };
}

/** Returns the body. @throws Error with an unexpected response */
export async function requireSuccess(response: ReturnType<Caller['get']>) {
  const { status, body } = await response;
  if (status >= 300) throw new Error(`the tenant could not be prepared: ${JSON.stringify(body)}`);
  return body;
}

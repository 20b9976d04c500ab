/**
 * A shop to look at, filled the way a partner would fill it: over the box's own API. Done once; what is there stays.
 */
import type { StackSecrets } from './settings.ts';

export const demoSlug = 'demo';

interface DemoProduct {
  title: string;
  handle: string;
  description: string;
  options?: { name: string; values: string[] }[];
  amount: number;
  stock: number;
}

const products: DemoProduct[] = [
  {
    title: 'Linen Shirt',
    handle: 'linen-shirt',
    description: 'Washed linen, made to last.',
    options: [{ name: 'Size', values: ['S', 'M', 'L'] }],
    amount: 5900,
    stock: 40,
  },
  { title: 'Wool Scarf', handle: 'wool-scarf', description: 'Two metres of merino.', amount: 3400, stock: 25 },
  {
    title: 'Canvas Tote',
    handle: 'canvas-tote',
    description: 'Carries a week of groceries.',
    amount: 1900,
    stock: 100,
  },
  { title: 'Enamel Mug', handle: 'enamel-mug', description: 'For tea beside a fire.', amount: 1450, stock: 60 },
  { title: 'Oak Cutting Board', handle: 'oak-cutting-board', description: 'Oiled by hand.', amount: 4200, stock: 15 },
  { title: 'Notebook', handle: 'notebook', description: 'Dotted, 160 pages.', amount: 1200, stock: 200 },
];

type Call = (method: string, path: string, body?: unknown) => Promise<{ status: number; body: Record<string, never> }>;

function caller(boxUrl: string, headers: Record<string, string>): Call {
  return async (method, path, body) => {
    const response = await fetch(`${boxUrl}${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    const answer = text ? JSON.parse(text) : {};
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${answer.detail ?? text}`);
    return { status: response.status, body: answer };
  };
}

/** Makes the demo shop unless it is there. @throws Error naming the call that failed */
export async function makeDemoShop(
  boxUrl: string,
  secrets: StackSecrets,
  packages: readonly string[],
): Promise<boolean> {
  const operator = caller(boxUrl, { authorization: `Bearer ${secrets.operatorSecret}` });
  const { items } = (await operator('GET', '/admin/tenants?limit=100')).body as unknown as {
    items: { slug: string }[];
  };
  if (items.some(({ slug }) => slug === demoSlug)) return false;
  const { email, password } = secrets.staff;
  const made = await operator('POST', '/admin/tenants', {
    slug: demoSlug,
    name: 'Demo Shop',
    staffEmail: email,
    defaultCurrency: 'EUR',
    defaultLocale: 'en',
  });
  const tenant = made.body as unknown as { id: string; invite: { token: string } };
  // Named, so that the shop stays reachable here when other shops are opened beside it.
  for (const host of ['localhost', '127.0.0.1'])
    await operator('POST', `/admin/tenants/${tenant.id}/domains`, { host });
  const reach = { 'x-tenant-slug': demoSlug, 'x-hosting-secret': secrets.hostingSecret };
  const visitor = caller(boxUrl, reach);
  await visitor('POST', '/admin/invites/accept', { token: tenant.invite.token, name: 'Demo Owner', password });
  const login = (await visitor('POST', '/admin/auth/login', { email, password })).body as unknown as { token: string };
  await fillShop(caller(boxUrl, { ...reach, authorization: `Bearer ${login.token}` }), packages);
  return true;
}

async function fillShop(staff: Call, packages: readonly string[]): Promise<void> {
  await staff('POST', '/admin/regions', {
    name: 'Europe',
    currency: 'EUR',
    taxInclusive: true,
    countries: ['DE', 'FR', 'NL'],
  });
  const ids: string[] = [];
  for (const { amount, stock, options = [], ...product } of products) {
    const values = options[0]?.values ?? [null];
    const variants = values.map((value) => ({
      sku: `${product.handle.toUpperCase()}${value ? `-${value}` : ''}`,
      ...(value && { options: [{ name: options[0]?.name, value }] }),
    }));
    const { body } = await staff('POST', '/admin/products', { ...product, status: 'published', options, variants });
    const made = body as unknown as { id: string; variants: { id: string }[] };
    ids.push(made.id);
    for (const { id } of made.variants) {
      await staff('PUT', `/admin/variants/${id}/prices`, { prices: [{ currency: 'EUR', amount }] });
      const found = (await staff('GET', `/admin/stock-items?variantId=${id}`)).body as unknown as {
        items: { id: string }[];
      };
      await staff('POST', `/admin/stock-items/${found.items[0]?.id}/adjustments`, {
        quantity: stock,
        reason: 'received',
      });
    }
  }
  if (packages.some((name) => name.endsWith('/collection'))) {
    const { body } = await staff('POST', '/admin/collections', { title: 'For the table', handle: 'for-the-table' });
    await staff('PUT', `/admin/collections/${(body as unknown as { id: string }).id}/products`, {
      productIds: ids.slice(3, 5),
    });
  }
}

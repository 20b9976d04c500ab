/**
 * Fills a demo store over the box's own API, as a partner does. It is filled once; later starts do not touch it, so that
 * its owner may change and delete anything.
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

// biome-ignore lint/suspicious/noExplicitAny: responses have many schemas.
type ResponseBody = any;
type Call = (method: string, path: string, body?: unknown) => Promise<ResponseBody>;

/** A call that did not succeed, by its status. */
class CallError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

function caller(boxUrl: string, headers: Record<string, string>): Call {
  return async (method, path, body) => {
    const response = await fetch(`${boxUrl}${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    const result = text ? JSON.parse(text) : {};
    if (!response.ok) {
      throw new CallError(response.status, `${method} ${path} returned ${response.status}: ${result.detail ?? text}`);
    }
    return result;
  };
}

/** Returns the result of a call, or null if it failed with the status. */
async function orNull(call: Promise<ResponseBody>, status = 404): Promise<ResponseBody | null> {
  return call.catch((error) => {
    if (error instanceof CallError && error.status === status) return null;
    throw error;
  });
}

/**
 * Creates the demo store, unless it was filled before; resumes after an interruption.
 * @param save stores the secrets: the invite of the first member of staff, which the box returns only once, and the id of
 * the filled store
 * @throws Error that names the failed call
 */
export async function createDemoStore(
  boxUrl: string,
  secrets: StackSecrets,
  packages: readonly string[],
  save: (secrets: StackSecrets) => Promise<void>,
): Promise<void> {
  const operator = caller(boxUrl, { authorization: `Bearer ${secrets.operatorSecret}` });
  const { email, password } = secrets.staff;
  const found = await findTenant(operator);
  if (found !== undefined && found === secrets.demoFilled) return;
  const id = found ?? (await openTenant(operator, email, (demoInvite) => save(Object.assign(secrets, { demoInvite }))));
  // With a host, the store stays reachable here when the box gets more tenants.
  await orNull(operator('POST', `/admin/tenants/${id}/domains`, { host: 'localhost' }), 409);
  const tenantHeaders = { 'x-tenant-slug': demoSlug, 'x-hosting-secret': secrets.hostingSecret };
  const visitor = caller(boxUrl, tenantHeaders);
  const logIn = () => visitor('POST', '/admin/auth/login', { email, password });
  let session = await orNull(logIn(), 401);
  if (!session) {
    await visitor('POST', '/admin/invites/accept', { token: secrets.demoInvite, name: 'Demo Owner', password });
    session = await logIn();
  }
  const staff = caller(boxUrl, { ...tenantHeaders, authorization: `Bearer ${session.token}` });
  await fillTenant({ staff, visitor }, packages);
  await save(Object.assign(secrets, { demoFilled: id }));
}

async function findTenant(operator: Call): Promise<string | undefined> {
  const { items } = await operator('GET', '/admin/tenants?limit=100');
  return items.find(({ slug }: { slug: string }) => slug === demoSlug)?.id;
}

async function openTenant(
  operator: Call,
  staffEmail: string,
  saveInvite: (token: string) => Promise<void>,
): Promise<string> {
  const tenant = { slug: demoSlug, name: 'Demo Store', defaultCurrency: 'EUR', defaultLocale: 'en' };
  const { id, invite } = await operator('POST', '/admin/tenants', { ...tenant, staffEmail });
  await saveInvite(invite.token);
  return id;
}

/** Calls of the store's staff, and of anyone. */
interface Callers {
  staff: Call;
  visitor: Call;
}

async function fillTenant({ staff, visitor }: Callers, packages: readonly string[]): Promise<void> {
  if ((await staff('GET', '/admin/regions?limit=1')).items.length === 0) {
    const region = { name: 'Europe', currency: 'EUR', taxInclusive: true, countries: ['DE', 'FR', 'NL'] };
    await staff('POST', '/admin/regions', region);
  }
  const ids = new Map<string, string>();
  for (const product of products) {
    const id = await createProduct({ staff, visitor }, product);
    if (id !== null) ids.set(product.handle, id);
  }
  if (!packages.some((name) => name.endsWith('/collection'))) return;
  const collection = { title: 'For the table', handle: 'for-the-table' };
  const created = await orNull(staff('POST', '/admin/collections', collection), 409);
  const productIds = ['enamel-mug', 'oak-cutting-board'].flatMap((handle) => ids.get(handle) ?? []);
  if (created) await staff('PUT', `/admin/collections/${created.id}/products`, { productIds });
}

/**
 * Creates a product with its prices and its stock, unless they exist; returns its id. Returns null for a product that
 * exists and is no longer published: its owner wants it so.
 */
async function createProduct(
  { staff, visitor }: Callers,
  { amount, stock, options = [], ...product }: DemoProduct,
): Promise<string | null> {
  const values = options[0]?.values ?? [null];
  const variants = values.map((value) => ({
    sku: `${product.handle.toUpperCase()}${value ? `-${value}` : ''}`,
    ...(value && { options: [{ name: options[0]?.name, value }] }),
  }));
  const found =
    (await orNull(visitor('GET', `/products/${product.handle}`))) ??
    (await orNull(staff('POST', '/admin/products', { ...product, status: 'published', options, variants }), 409));
  if (!found) return null;
  for (const variant of found.variants) {
    // Keeps a price that the owner has changed.
    if (variant.price) continue;
    const { items } = await staff('GET', `/admin/stock-items?variantId=${variant.id}`);
    if (items[0].onHand === 0) {
      await staff('POST', `/admin/stock-items/${items[0].id}/adjustments`, { quantity: stock, reason: 'received' });
    }
    await staff('PUT', `/admin/variants/${variant.id}/prices`, { prices: [{ currency: 'EUR', amount }] });
  }
  return found.id;
}

/**
 * Helpers of the tests of downloads: articles with files, orders for them, the mails with their links, and downloads.
 */
import { type Answer, bodyOf, type Caller, eventsOf, type TestTenant, untilDelivered } from '@carton/runtime/testing';
import { linksMail } from '../grants/mails.ts';

const names = [
  ...['core', 'auth', 'tenant', 'region', 'media', 'product', 'pricing', 'inventory', 'cart', 'order', 'payment'],
  ...['checkout', 'member', 'download'],
];
export const packages = names.map((name) => `@carton/${name}`);
export const unknownId = '0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001';
export const eur = (amount: number) => ({ amount, currency: 'EUR' });

export const dayAgo = "now() - interval '24 hours 1 second'";

type Tenant = Pick<TestTenant, 'staff' | 'db'> & { url: string };

/** Uploads a file for buyers of a variant. */
export async function upload(
  { staff, url }: Tenant,
  variantId: string,
  name: string,
  content: string,
): Promise<Answer> {
  const form = new FormData();
  form.append('file', new Blob([content], { type: 'text/html' }), name);
  const path = `${url}/admin/variants/${variantId}/downloads`;
  const response = await fetch(path, { method: 'POST', headers: staff.headers, body: form });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

let articles = 0;

/** A published variant for 10.00 with files, of which each contains its name. */
export async function createArticle(tenant: TestTenant & { url: string }, ...files: string[]): Promise<string> {
  const { staff } = tenant;
  const title = `Handbook ${++articles}`;
  const product = await bodyOf(staff.post('/admin/products', { title, status: 'published' }));
  const variantId: string = product.variants[0].id;
  await bodyOf(staff.put(`/admin/variants/${variantId}/prices`, { prices: [{ currency: 'EUR', amount: 1000 }] }));
  await bodyOf(staff.patch(`/admin/stock-items/${variantId}`, { tracked: false }));
  for (const name of files) {
    const { status, body } = await upload(tenant, variantId, name, `content of ${name}`);
    if (status !== 201) throw new Error(JSON.stringify(body));
  }
  return variantId;
}

export interface Placed {
  id: string;
  items: { id: string }[];
}

/** Orders units of variants; the order is not paid. */
export async function order(
  tenant: TestTenant,
  units: readonly (readonly [variantId: string, quantity: number])[],
  shopper: Caller = tenant.shopper(),
): Promise<Placed> {
  for (const [variantId, quantity] of units) await bodyOf(shopper.post('/cart/items', { variantId, quantity }));
  return bodyOf(shopper.post('/checkout', { customer: { email: 'ada@example.com' } }));
}

/** Records a payment; returns its id. */
export async function pay({ staff }: TestTenant, orderId: string, amount: number): Promise<string> {
  const payment = { method: 'bank_transfer', amount: eur(amount) };
  return (await bodyOf(staff.post(`/admin/orders/${orderId}/payments`, payment))).id;
}

export const refund = ({ staff }: TestTenant, paymentId: string, body: object) =>
  bodyOf(staff.post(`/admin/payments/${paymentId}/refunds`, body));

export interface Grant {
  id: string;
  lineItemId: string;
  downloadId: string;
  fileName: string;
  state: string;
  downloadCount: number;
  maxDownloads: number | null;
  endedBy: string | null;
}

/** The grants of an order once all events are delivered. */
export async function grantsOf(tenant: TestTenant, orderId: string): Promise<Grant[]> {
  await untilDelivered(tenant);
  return (await bodyOf(tenant.staff.get(`/admin/orders/${orderId}/downloads`))).items;
}

/** They as `state file`. */
export async function summaryOf(tenant: TestTenant, orderId: string): Promise<string[]> {
  return (await grantsOf(tenant, orderId)).map(({ state, fileName }) => `${state} ${fileName}`);
}

/** Places an order for one unit of a variant and pays it. */
export async function buy(
  tenant: TestTenant,
  variantId: string,
): Promise<{ id: string; payment: string; grants: Grant[] }> {
  const { id } = await order(tenant, [[variantId, 1]]);
  const payment = await pay(tenant, id, 1000);
  return { id, payment, grants: await grantsOf(tenant, id) };
}

interface LinksMail {
  to: string;
  data: {
    downloads: { fileName: string; token: string; link: string | null; remaining: number | null; size: string }[];
  };
}

/** The latest mail about an order, as the package that sends mails would compose it now; null for none. */
export async function latestMail(tenant: Pick<TestTenant, 'db'>, orderId: string): Promise<LinksMail | null> {
  const event = (await eventsOf(tenant, { resourceId: orderId, type: 'download.links_requested' })).at(-1);
  return event ? (((await linksMail.compose?.(tenant.db, event)) ?? null) as LinksMail | null) : null;
}

/** The tokens of the latest mail about an order, by file. */
export async function tokensOf(tenant: Pick<TestTenant, 'db'>, orderId: string): Promise<Record<string, string>> {
  const mail = await latestMail(tenant, orderId);
  return Object.fromEntries((mail?.data.downloads ?? []).map(({ fileName, token }) => [fileName, token]));
}

export interface Downloaded {
  status: number;
  headers: Headers;
  text: string;
  /** Of a problem. */
  code: string | null;
}

/** Downloads a file, by default as a visitor of the store. */
export async function download(
  { url, visitor }: TestTenant & { url: string },
  path: string,
  {
    headers = visitor().headers,
    range,
    method = 'GET',
  }: { headers?: Record<string, string>; range?: string; method?: string } = {},
): Promise<Downloaded> {
  const response = await fetch(`${url}${path}`, { method, headers: { ...headers, ...(range && { range }) } });
  const text = await response.text();
  const code = response.status >= 400 && text !== '' ? JSON.parse(text).code : null;
  return { status: response.status, headers: response.headers, text, code };
}

/** Messages of an order's timeline about downloads, oldest first. */
export async function timelineOf({ staff }: TestTenant, orderId: string): Promise<string[]> {
  const { items } = await bodyOf(staff.get(`/admin/orders/${orderId}/timeline`));
  return items
    .filter(({ type }: { type: string }) => type === 'download')
    .map(({ message }: { message: string }) => message)
    .reverse();
}

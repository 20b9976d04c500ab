/**
 * The requests of a guest, from the list of products to the order, in a store with a region, a tax, shipping options and
 * a promotion.
 */
import { callerOf } from '@carton/runtime/testing';
import type { LoadRequest, LoadResponse, Send } from './load.ts';
import { type LoadTenant, requireSuccess } from './tenant.ts';

/** What a guest remembers of earlier responses. */
interface Guest {
  session?: string;
  shippingOption?: string;
  order?: string;
}

interface Step {
  status: number;
  request(guest: Guest, tenant: LoadTenant): Omit<LoadRequest, 'url'> & { path: string };
  remember?(guest: Guest, response: LoadResponse): void;
}

const addItem = (variant: number): Step => ({
  status: 201,
  request: (_, { variants }) => post('/cart/items', { variantId: variants[variant], quantity: 1 }),
  remember: (guest, response) => {
    guest.session ??= response.header('x-session-id');
  },
});

const address = { name: 'Ada Lovelace', line1: '1 Main Street', city: 'Paris', postalCode: '75003', country: 'FR' };

const promotionCode = 'WELCOME';

const steps: readonly Step[] = [
  { status: 200, request: () => ({ path: '/products?limit=12' }) },
  addItem(0),
  addItem(1),
  { status: 200, request: () => ({ ...post('/cart/shipping-address', address), method: 'PUT' }) },
  {
    status: 200,
    request: () => ({ path: '/cart/shipping-options' }),
    remember: (guest, { body }) => {
      guest.shippingOption = JSON.parse(body).groups[0].options[0].id;
    },
  },
  {
    status: 200,
    request: ({ shippingOption }) => ({
      ...post('/cart/shipping-method', { optionId: shippingOption }),
      method: 'PUT',
    }),
  },
  { status: 201, request: () => post('/cart/promotions', { code: promotionCode }) },
  {
    status: 201,
    request: () => post('/checkout', { customer: { email: 'ada@example.com', name: 'Ada Lovelace' } }),
    remember: (guest, response) => {
      guest.order = response.header('location');
    },
  },
  { status: 200, request: ({ order }) => ({ path: order as string }) },
];

/** The number of requests. */
export const flowLength = steps.length;

function post(path: string, body: object) {
  return { path, method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
}

/** Creates what the guests' carts are charged with and taken off. */
export async function prepareFlow(url: string, { staffHeaders }: LoadTenant): Promise<void> {
  const staff = callerOf(url, staffHeaders);
  const { country } = address;
  const region = { name: 'Europe', currency: 'EUR', taxInclusive: true, countries: [country] };
  await requireSuccess(staff.post('/admin/regions', region));
  await requireSuccess(staff.post('/admin/tax-rates', { code: 'vat', name: 'VAT', rate: 20, country }));
  const zone = await requireSuccess(staff.post('/admin/shipping-zones', { name: 'France', places: [{ country }] }));
  for (const [code, amount] of Object.entries({ standard: 490, express: 1290 })) {
    const option = { code, name: code, zoneId: zone.id, type: 'flat', rates: [{ currency: 'EUR', amount }] };
    await requireSuccess(staff.post('/admin/shipping-options', option));
  }
  const discount = { kind: 'percent', percent: 10 };
  const promotion = await requireSuccess(staff.post('/admin/promotions', { label: 'Welcome', discount }));
  await requireSuccess(staff.post(`/admin/promotions/${promotion.id}/codes`, { codes: [promotionCode] }));
}

/**
 * Sends the requests of one guest.
 * @param around runs a request; by default it is just sent
 * @throws Error that names the request with an unexpected status
 */
export async function orderAsGuest(
  url: string,
  tenant: LoadTenant,
  send: Send,
  around: (work: () => Promise<void>) => Promise<void> = (work) => work(),
): Promise<void> {
  const guest: Guest = {};
  for (const { status, request, remember } of steps) {
    const { path, headers, ...rest } = request(guest, tenant);
    await around(async () => {
      const session: Record<string, string> = guest.session ? { 'x-session-id': guest.session } : {};
      const response = await send({ ...rest, url: url + path, headers: { ...headers, ...session } });
      if (response.status !== status) {
        throw new Error(`${rest.method ?? 'GET'} ${path} returned ${response.status}: ${response.body}`);
      }
      remember?.(guest, response);
    });
  }
}

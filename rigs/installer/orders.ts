/**
 * Orders that must survive: placed over the box's own API, and read again after each fault.
 */
import { type LoadTenant, openTenantAt } from '../../tools/load/tenant.ts';
import { secrets } from '../support/box.ts';
import { newTally, sendRequest } from '../support/client.ts';

/** The slug of the tenant that has them. */
export const tenantSlug = 'shop';

export interface Orders {
  placed: string[];
  /** Places some orders. */
  place(count: number): Promise<void>;
  /** Returns the ids of those that are gone. */
  missing(): Promise<string[]>;
}

/** Creates a tenant with a product on a box that runs. */
export async function openOrders(url: string): Promise<Orders> {
  const tenant: LoadTenant = await openTenantAt(url, { secrets, slug: tenantSlug, products: 1, stock: 1_000_000 });
  const placed: string[] = [];
  const send = async (method: string, path: string, body?: unknown, session?: string | null) => {
    const headers = { ...tenant.tenantHeaders, ...(session && { 'x-session-id': session }) };
    const outcome = await sendRequest(url, { method, path, headers, body }, newTally());
    if (outcome.status === null) throw new Error(`${method} ${path}: ${outcome.reason}`);
    return outcome;
  };
  return {
    placed,
    async place(count) {
      for (let each = 0; each < count; each++) {
        const cart = await send('POST', '/cart/items', { variantId: tenant.variants[0], quantity: 1 });
        const order = await send('POST', '/checkout', { customer: { email: 'ada@example.com' } }, cart.session);
        if (order.status !== 201) throw new Error(`a checkout responded with ${order.status}`);
        placed.push(order.body.id);
      }
    },
    async missing() {
      const gone: string[] = [];
      for (const id of placed) if ((await send('GET', `/checkout/${id}`)).status !== 200) gone.push(id);
      return gone;
    },
  };
}

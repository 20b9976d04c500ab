/**
 * Staff who work on paid orders while the box is killed: they pack and ship, refund and cancel, often two of them the same
 * order at the same time. Refusals that tell of another's work are expected; anything else is an error.
 */
import { randomUUID } from 'node:crypto';
import type { Caller } from '@carton/runtime/testing';
import type { ClientResponse } from '../support/client.ts';
import { type Send, sendUntilFinal } from '../support/shoppers.ts';

/** Problems that a concurrent request of staff may lead to, by what staff do. */
const expected = {
  cancel: ['order_already_canceled', 'order_fulfillment_started'],
  pack: ['fulfillment_exceeds_order', 'order_already_canceled'],
  ship: ['fulfillment_state_conflict', 'order_already_canceled', 'fulfillment_items_refunded'],
  refund: ['payment_step_not_possible', 'payment_step_busy', 'payment_refused', 'payment_disputed'],
} as const;

export interface Staff {
  cancel(orderId: string): Promise<void>;
  /** Packs all that is left to ship, and ships it. */
  ship(orderId: string): Promise<void>;
  /** Refunds an amount of the order's payments in minor units; by default all that is left. */
  refund(orderId: string, amount?: number): Promise<void>;
  /** Refunds a unit of the order, whose stock returns unless it was shipped. */
  refundUnit(orderId: string): Promise<void>;
}

/** @throws Error, from each method, with a response that staff must not get */
export function staffOf(send: Send, { headers }: Caller): Staff {
  const request = async (method: string, path: string, body?: object): Promise<ClientResponse> => {
    const keyed = { ...headers, 'idempotency-key': randomUUID() };
    const response = await sendUntilFinal(send, { method, path, headers: keyed, body });
    if (response === null) throw new Error(`${method} ${path} got no response for too long`);
    return response;
  };
  const work = async (what: keyof typeof expected, path: string, body?: object) => {
    const response = await request('POST', path, body);
    if (response.status < 300) return response.body as { id: string };
    const isExpected = (expected[what] as readonly string[]).includes(response.body.code);
    if (!isExpected) throw new Error(`POST ${path}: ${response.status} ${JSON.stringify(response.body)}`);
    return null;
  };
  const read = async (path: string) => (await request('GET', path)).body;
  return {
    cancel: async (orderId) => {
      await work('cancel', `/admin/orders/${orderId}/cancel`);
    },
    ship: async (orderId) => {
      const parcel = await work('pack', `/admin/orders/${orderId}/fulfillments`);
      if (parcel) await work('ship', `/admin/fulfillments/${parcel.id}/ship`);
    },
    refund: async (orderId, amount) => {
      const payments = await read(`/admin/payments?orderId=${orderId}`);
      const part = (currency: string) => (amount === undefined ? {} : { amount: { amount, currency } });
      for (const { id, amount: total } of payments.items as { id: string; amount: { currency: string } }[]) {
        await work('refund', `/admin/payments/${id}/refunds`, part(total.currency));
      }
    },
    refundUnit: async (orderId) => {
      const [order, payments] = [
        await read(`/admin/orders/${orderId}`),
        await read(`/admin/payments?orderId=${orderId}`),
      ];
      const items = [{ lineItemId: order.items[0].id, quantity: 1 }];
      await work('refund', `/admin/payments/${payments.items[0].id}/refunds`, { items });
    },
  };
}

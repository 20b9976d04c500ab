/**
 * Sales by card at the simulator.
 */
import { attachPayment, completePayments, confirmPayment, startPayment } from '@carton/payment';
import { place } from '@carton/payment/testing';
import { newId } from '@carton/runtime';
import type { TestTenant } from '@carton/runtime/testing';
import type { Shopper } from './shopper.ts';
import type { StripeTenant } from './stripe-tenant.ts';

export function cardSales({ box, shopper }: StripeTenant) {
  /** Starts a payment of a cart; with a card, the shopper pays it. */
  async function begin(total: number, card?: Parameters<Shopper['pay']>[1], at: TestTenant = box, currency = 'EUR') {
    const cartId = newId();
    const started = await startPayment(at.db, {
      cartId,
      method: 'card',
      amount: { amount: total, currency },
      email: null,
    });
    if (card) await shopper.pay(started.nextAction?.value as string, card);
    return { cartId, started };
  }

  /** Places the order of a started payment, as a checkout would. */
  async function order({ cartId, started }: Awaited<ReturnType<typeof begin>>, at: TestTenant = box) {
    await confirmPayment(at.db, started);
    const { amount, currency } = started.amount;
    const { id: orderId } = await place(at, amount, { cartId, currency });
    await at.db.transaction((tx) => attachPayment(tx, orderId, started));
    await completePayments(at.db, orderId);
    return { orderId, id: started.id };
  }

  async function setMode(captureMode: string): Promise<void> {
    const [{ id }] = (await box.staff.get('/admin/payment-methods')).body.items;
    await box.staff.patch(`/admin/payment-methods/${id}`, { captureMode });
  }

  return { begin, order, setMode };
}

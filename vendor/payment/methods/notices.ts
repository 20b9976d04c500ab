/**
 * The payments of an order that the shopper still makes by hand, with the name and the instructions of their methods.
 */
import { findOrder, type PaymentNotice } from '@carton/order';
import { money, type TenantDatabase } from '@carton/runtime';
import { adapterOf } from '../adapters/bound.ts';
import { paymentsOfOrder } from '../payments/store.ts';
import { nameOfMethod } from './service.ts';
import { rowsOfMethods } from './store.ts';

/** None of a canceled order. All together are at most what is left to pay. */
export async function noticesOf(db: TenantDatabase, orderId: string): Promise<PaymentNotice[]> {
  const open = (await paymentsOfOrder(db, orderId)).filter(
    ({ provider, status }) => status === 'pending' && adapterOf(db, provider)?.byHand,
  );
  if (open.length === 0) return [];
  const order = await findOrder(db, orderId);
  if (order?.status !== 'placed') return [];
  const methods = await rowsOfMethods(db);
  let due = Math.max(0, order.balance.amount);
  return open.flatMap(({ provider, method: code, amount: whole, capturedAmount, currency, reference }) => {
    const amount = Math.min(whole - capturedAmount, due);
    due -= amount;
    if (amount === 0) return [];
    const method = methods.find((each) => each.provider === provider && each.code === code);
    return {
      name: nameOfMethod({ code, name: method?.name ?? null }),
      instructions: method?.instructions?.split('\n') ?? [],
      reference,
      amount: money(amount, currency),
    };
  });
}

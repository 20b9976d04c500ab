/**
 * The payments of an order that the shopper still makes by hand, with the name and the instructions of their methods.
 */
import { findOrder, type PaymentNotice } from '@carton/order';
import { money, type TenantDatabase } from '@carton/runtime';
import { adapterOf } from './bound.ts';
import { nameOfMethod, rowsOfMethods } from './methods.ts';
import { paymentsOfOrder } from './store.ts';

/** None of a canceled order. */
export async function noticesOf(db: TenantDatabase, orderId: string): Promise<PaymentNotice[]> {
  const open = (await paymentsOfOrder(db, orderId)).filter(
    ({ provider, status }) => status === 'pending' && adapterOf(db, provider)?.byHand,
  );
  if (open.length === 0 || (await findOrder(db, orderId))?.status !== 'placed') return [];
  const methods = await rowsOfMethods(db);
  return open.map(({ provider, method: code, amount, capturedAmount, currency, reference }) => {
    const method = methods.find((each) => each.provider === provider && each.code === code);
    return {
      name: nameOfMethod({ code, name: method?.name ?? null }),
      instructions: method?.instructions?.split('\n') ?? [],
      reference,
      amount: money(amount - capturedAmount, currency),
    };
  });
}

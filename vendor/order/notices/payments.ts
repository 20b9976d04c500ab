/**
 * What shoppers read of the open payments of an order, on its confirmation and in its mail: contributed by the package
 * with payments.
 */
import { extensionPoint, type MoneyValue, type TenantDatabase } from '@carton/runtime';

/** An open payment of an order, for the shopper. */
export interface PaymentNotice {
  /** Name of the method. */
  name: string;
  /** How to pay, in lines; none if the store wrote nothing. */
  instructions: string[];
  /** What the shopper states with the payment; null if there is none. */
  reference: string | null;
  /** What is left to pay of it. */
  amount: MoneyValue;
}

/** Returns the open payments of an order that the shopper makes without the box. */
export const paymentNotices =
  extensionPoint<(db: TenantDatabase, orderId: string) => Promise<readonly PaymentNotice[]>>('order.payment-notices');

/** The open payments of an order that the shopper makes without the box, such as a bank transfer. */
export async function paymentNoticesOf(db: TenantDatabase, orderId: string): Promise<PaymentNotice[]> {
  const found: PaymentNotice[] = [];
  for (const noticesOf of paymentNotices.of(db)) found.push(...(await noticesOf(db, orderId)));
  return found;
}

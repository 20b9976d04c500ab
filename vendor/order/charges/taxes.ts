/**
 * The taxes of a charge that is added to an existing order.
 */
import { extensionPoint, type TenantDatabase } from '@carton/runtime';
import type { Order } from '../present.ts';
import { chargedRowsOf, chargesOf } from './amounts.ts';
import type { NewTax } from './store.ts';

/** An order as far as the taxes of a further charge depend on it. Amounts are minor units. */
export interface ChargedOrder
  extends Pick<Order, 'currency' | 'regionId' | 'memberId' | 'locale' | 'taxLines' | 'taxExemption'> {
  address: Order['customer']['address'];
  email: string;
  /** Amounts after discounts; prices before them. */
  lines: readonly { id: string; quantity: number; price: number; amount: number }[];
  /** Shipping charges, with amounts after discounts. */
  shipping: readonly { code: string; amount: number }[];
}

/**
 * Computes the taxes of a charge that is added to an order, as if the order had been placed with it.
 * @param amount of the charge, in minor units
 */
export type ChargeTaxer = (tx: TenantDatabase, order: ChargedOrder, amount: number) => Promise<NewTax[]>;
export const chargeTaxers = extensionPoint<ChargeTaxer>('order.charge-taxers');

/** An order as far as the taxes of a further charge depend on it. */
export function chargedOrderOf(order: Omit<Order, 'sessionHash' | 'cartId' | 'wasPlaced'>): ChargedOrder {
  const lines: ChargedOrder['lines'][number][] = [];
  const shipping: ChargedOrder['shipping'][number][] = [];
  for (const { lineItemId, shippingCode, quantity, total, discount } of chargesOf(chargedRowsOf(order))) {
    if (lineItemId !== null) lines.push({ id: lineItemId, quantity, price: total, amount: total + discount });
    else shipping.push({ code: shippingCode as string, amount: total + discount });
  }
  const isLeft = (code: string | null) => code === null || shipping.some((charge) => charge.code === code);
  const taxLines = order.taxLines.filter(({ itemId, shippingCode }) => itemId !== null || isLeft(shippingCode));
  const { currency, regionId, memberId, locale, taxExemption, customer } = order;
  const { address, email } = customer;
  return { currency, regionId, memberId, locale, taxExemption, taxLines, address, email, lines, shipping };
}

/** The taxes of a charge that is added to an order, by all that compute some. @param amount as for `ChargeTaxer` */
export async function taxesOfAddedCharge(tx: TenantDatabase, order: Order, amount: number): Promise<NewTax[]> {
  const charged = chargedOrderOf(order);
  return (await Promise.all(chargeTaxers.of(tx).map((taxer) => taxer(tx, charged, amount)))).flat();
}

/**
 * The taxes of a charge that is added to an existing order, or what an exemption takes off it.
 */
import { extensionPoint, type TenantDatabase } from '@carton/runtime';
import type { Order } from '../present.ts';
import { chargedRowsOf, chargesOf } from './amounts.ts';
import type { NewDiscount, NewTax } from './store.ts';

/** An order as far as the taxes of a further charge depend on it. Amounts are minor units. */
export interface ChargedOrder
  extends Pick<Order, 'currency' | 'regionId' | 'memberId' | 'locale' | 'taxLines' | 'taxExemption'> {
  address: Order['customer']['address'];
  email: string;
  /**
   * Amounts after discounts; prices before them. `takenOff`: the taxes in the price that the discounts of an exemption have
   * taken off it.
   */
  lines: readonly { id: string; quantity: number; price: number; amount: number; takenOff: number }[];
  /** Shipping charges, with amounts after discounts. */
  shipping: readonly { code: string; amount: number; takenOff: number }[];
}

/** What a charge gets. */
export interface ChargeTaxes {
  taxes: readonly NewTax[];
  /** Those of an exempt order, for the taxes that the charge would contain. */
  discounts?: readonly NewDiscount[];
}

/** The type of the source of discounts that take taxes off prices. */
export const exemptionSource = 'tax_exemption';

/**
 * Computes the taxes of a charge that is added to an order, as if the order had been placed with it.
 * @param amount of the charge, in minor units
 */
export type ChargeTaxer = (tx: TenantDatabase, order: ChargedOrder, amount: number) => Promise<ChargeTaxes>;
export const chargeTaxers = extensionPoint<ChargeTaxer>('order.charge-taxers');

/** An order as far as the taxes of a further charge depend on it. */
export function chargedOrderOf(order: Omit<Order, 'sessionHash' | 'cartId' | 'wasPlaced'>): ChargedOrder {
  const lines: ChargedOrder['lines'][number][] = [];
  const shipping: ChargedOrder['shipping'][number][] = [];
  const exempted = order.adjustments.filter(({ source }) => source?.type === exemptionSource);
  const takenOffBy = (isOf: (each: Order['adjustments'][number]) => boolean) =>
    -exempted.filter(isOf).reduce((sum, { amount }) => sum + amount.amount, 0);
  for (const { lineItemId, shippingCode, quantity, total, discount } of chargesOf(chargedRowsOf(order))) {
    const amount = total + discount;
    if (lineItemId !== null) {
      const takenOff = takenOffBy(({ itemId }) => itemId === lineItemId);
      lines.push({ id: lineItemId, quantity, price: total, amount, takenOff });
    } else {
      const takenOff = takenOffBy((each) => each.itemId === null && each.shippingCode === shippingCode);
      shipping.push({ code: shippingCode as string, amount, takenOff });
    }
  }
  const isLeft = (code: string | null) => code === null || shipping.some((charge) => charge.code === code);
  const taxLines = order.taxLines.filter(({ itemId, shippingCode }) => itemId !== null || isLeft(shippingCode));
  const { currency, regionId, memberId, locale, taxExemption, customer } = order;
  const { address, email } = customer;
  return { currency, regionId, memberId, locale, taxExemption, taxLines, address, email, lines, shipping };
}

/** What a charge gets that is added to an order, by all that compute some. @param amount as for `ChargeTaxer` */
export async function taxesOfAddedCharge(
  tx: TenantDatabase,
  order: Order,
  amount: number,
): Promise<Required<ChargeTaxes>> {
  const charged = chargedOrderOf(order);
  const all = await Promise.all(chargeTaxers.of(tx).map((taxer) => taxer(tx, charged, amount)));
  return { taxes: all.flatMap(({ taxes }) => taxes), discounts: all.flatMap(({ discounts = [] }) => discounts) };
}

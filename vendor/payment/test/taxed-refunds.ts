/**
 * An order with discount, taxes and shipping, whose items and charges tests refund.
 */
import type { TestBox } from '@carton/runtime/testing';
import { pay, place } from './helpers.ts';

export const eur = (amount: number) => ({ amount, currency: 'EUR' });

/**
 * An order over 41.24: three shirts for 30.00 less 1.00, with 5.51 tax; socks for 5.00, which contain 0.80 tax; shipping
 * for 1.46 with 0.27 tax.
 */
export async function placeTaxed(box: TestBox, paid = 4124) {
  const line = { variantId: null, productId: null, sku: null, variantTitle: null };
  const tax = { kind: 'tax', code: 'vat', label: 'VAT', rate: 19 } as const;
  const { id, items } = await place(box, 4124, {
    lines: [
      { ...line, lineId: 'shirts', title: 'Shirt', quantity: 3, unitAmount: 1000, totalAmount: 3000 },
      { ...line, lineId: 'socks', title: 'Socks', quantity: 1, unitAmount: 500, totalAmount: 500 },
    ],
    adjustments: [
      { kind: 'discount', code: 'sale', label: 'Sale', amount: -100, lineId: 'shirts' },
      { kind: 'shipping', code: 'standard', label: 'Standard', amount: 146 },
      { ...tax, amount: 551, lineId: 'shirts' },
      { ...tax, amount: 80, lineId: 'socks', included: true },
      { ...tax, amount: 27, shippingCode: 'standard' },
    ],
    totals: { subtotal: 3500, discount: -100, shipping: 146, tax: 658, credit: 0, total: 4124 },
  });
  const payment = await pay(box, id, paid);
  const [shirts, socks] = items.map((item) => item.id) as [string, string];
  return { id, shirts, socks, paymentId: payment.body.id as string };
}

export const refundAt = (box: TestBox, paymentId: string, body: unknown, key?: string) =>
  box.staff.post(`/admin/payments/${paymentId}/refunds`, body, key ? { headers: { 'idempotency-key': key } } : {});

/** What is charged and refunded of each item and shipping charge. */
export async function refundedOf(box: TestBox, orderId: string) {
  const { items, adjustments } = (await box.staff.get(`/admin/orders/${orderId}`)).body;
  type Item = {
    title: string;
    charged: { amount: number };
    refunded: { quantity: number; amount: { amount: number } };
  };
  type Charge = { code: string; charged: { amount: number } | null; refunded: { amount: number } | null };
  return [
    ...items.map(({ title, charged, refunded }: Item) =>
      [title, refunded.quantity, refunded.amount.amount, 'of', charged.amount].join(' '),
    ),
    ...adjustments.map(({ code, charged, refunded }: Charge) =>
      charged === null ? code : [code, refunded?.amount, 'of', charged.amount].join(' '),
    ),
  ];
}

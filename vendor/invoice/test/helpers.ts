/**
 * Helpers of the invoice tests: a box with a seller, taxed orders, payments, and invoices in brief.
 */
import { createOrder, type Order, type OrderDraft } from '@carton/order';
import { newId } from '@carton/runtime';
import { bodyOf, createTestBox, type TestBox, type TestBoxOptions, type TestTenant } from '@carton/runtime/testing';

const names = ['core', 'auth', 'tenant', 'region', 'product', 'pricing', 'inventory', 'cart', 'order', 'payment'];
export const packages = [...names, 'invoice'].map((name) => `@carton/${name}`);

export const seller = {
  legalName: 'Demo Store SAS',
  address: '12 Rue des Lilas\n69003 Lyon',
  vatNumber: 'FR40303265045',
  registrationNumber: 'RCS Lyon 303 265 045',
};

export async function openBox(t: Parameters<typeof createTestBox>[0], options: TestBoxOptions = {}): Promise<TestBox> {
  const box = await createTestBox(t, { packages, tier: 'basic', ...options });
  await setInvoices(box, seller);
  return box;
}

const sellerFields = ['legalName', 'address', 'vatNumber', 'registrationNumber'];

/** Changes the seller, which is the store, and the settings of invoices. */
export function setInvoices({ staff }: TestTenant, values: Record<string, unknown>) {
  const pick = (ofSeller: boolean) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => sellerFields.includes(name) === ofSeller));
  const invoice = pick(false);
  const settings = Object.keys(invoice).length > 0 ? { settings: { invoice } } : {};
  return bodyOf(staff.patch('/admin/store', { ...pick(true), ...settings }));
}

let lastNumber = 1000;
export const customer = {
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  address: { name: 'Ada Lovelace', line1: '1 Way', city: 'Lyon', country: 'FR' },
};

/** A draft of an order for one article without tax. */
export function draftOf(total: number, over: Partial<OrderDraft> = {}): OrderDraft {
  const line = { variantId: null, productId: null, sku: 'LINEN', title: 'Shirt', variantTitle: null };
  return {
    number: String(++lastNumber),
    cartId: newId(),
    sessionHash: null,
    memberId: null,
    currency: 'EUR',
    lines: [{ ...line, lineId: 'a', quantity: 1, unitAmount: total, totalAmount: total }],
    totals: { subtotal: total, discount: 0, shipping: 0, tax: 0, credit: 0, total },
    customer,
    ...over,
  };
}

export function place({ db }: TestTenant, draft: OrderDraft): Promise<Order> {
  return db.transaction((tx) => createOrder(tx, draft));
}

/**
 * An order over 41.24: three shirts for 30.00 less 1.00, with 5.51 tax; socks for 5.00, which contain 0.80 tax; shipping
 * for 1.46 with 0.27 tax.
 */
export function placeTaxed(tenant: TestTenant, over: Partial<OrderDraft> = {}): Promise<Order> {
  const line = { variantId: null, productId: null, sku: null, variantTitle: null };
  const tax = { kind: 'tax', code: 'vat', label: 'VAT', rate: 19 } as const;
  return place(
    tenant,
    draftOf(4124, {
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
      ...over,
    }),
  );
}

export const eur = (amount: number) => ({ amount, currency: 'EUR' });

/** Records an offline payment; returns its id. */
export async function pay({ staff }: TestTenant, orderId: string, amount: number): Promise<string> {
  const payment = { amount: eur(amount), method: 'bank_transfer' };
  return (await bodyOf(staff.post(`/admin/orders/${orderId}/payments`, payment))).id;
}

export const refund = ({ staff }: TestTenant, paymentId: string, body: object) =>
  bodyOf(staff.post(`/admin/payments/${paymentId}/refunds`, body));

export const issue = ({ staff }: TestTenant, orderId: string, body?: object) =>
  staff.post(`/admin/orders/${orderId}/invoices`, body);

export const credit = ({ staff }: TestTenant, invoiceId: string, body?: object) =>
  staff.post(`/admin/invoices/${invoiceId}/credit-notes`, body);

interface Listed {
  id: string;
  kind: string;
  number: string;
  totals: { net: { amount: number }; tax: { amount: number }; total: { amount: number } };
}

/** The invoices and credit notes of an order, oldest first. */
export async function invoicesOf({ staff }: TestTenant, orderId: string): Promise<Listed[]> {
  return (await bodyOf(staff.get(`/admin/invoices?limit=100&orderId=${orderId}`))).items.reverse();
}

/** They as `kind net + tax = total`. */
export async function summaryOf(tenant: TestTenant, orderId: string): Promise<string[]> {
  const found = await invoicesOf(tenant, orderId);
  return found.map(
    ({ kind, totals: { net, tax, total } }) => `${kind} ${net.amount} + ${tax.amount} = ${total.amount}`,
  );
}

/**
 * The confirmation of an order as a page to read and to print.
 */
import { findStore, type Store } from '@carton/core';
import { addressLines, type Order, type PaymentNotice, paymentNoticesOf } from '@carton/order';
import {
  dateTimeFormat,
  formatMoney,
  type Html,
  type HtmlDocument,
  html,
  type MoneyValue,
  numberFormat,
  renderPage,
  type ShopperSession,
  type TenantDatabase,
} from '@carton/runtime';
import { readAwaitedOrder } from './service.ts';

/** Returns the confirmation; personal data is masked unless the caller placed the order. @throws not_found (404) */
export async function readConfirmation(
  db: TenantDatabase,
  session: ShopperSession,
  orderId: string,
): Promise<HtmlDocument> {
  const [order, store] = [await readAwaitedOrder(db, session, orderId), await findStore(db)];
  return renderConfirmation(order, store, await paymentNoticesOf(db, orderId));
}

type StoreOnPage = Pick<Store, 'name' | 'logoUrl' | 'defaultLocale' | 'timeZone'>;

/** The page of an order, in the order's language as far as dates and amounts go. */
export function renderConfirmation(
  order: Order,
  store: StoreOnPage,
  payments: readonly PaymentNotice[] = [],
): HtmlDocument {
  const locale = order.locale ?? store.defaultLocale;
  const show = (value: MoneyValue) => formatMoney(value, locale);
  return renderPage({
    language: 'en',
    title: `Order ${order.number} – ${store.name}`,
    images: store.logoUrl === null ? [] : [store.logoUrl],
    body: html`<main>
<header>
${store.logoUrl === null ? html`<p class="store">${store.name}</p>` : html`<img src="${store.logoUrl}" alt="${store.name}">`}
<p class="badge">${statusOf(order)}</p>
</header>
<h1>${headings[order.status]}</h1>
<p class="soft">Order <bdi>${order.number}</bdi>, ${order.status === 'pending' ? 'started' : 'placed'} on ${dateOf(order.createdAt, locale, store.timeZone)}</p>
${order.payBy !== null && html`<p class="soft">Please pay by ${dateOf(order.payBy, locale, store.timeZone)}; otherwise the order is canceled then.</p>`}
${factsOf(order, locale)}
${itemsOf(order, show)}
${totalsOf(order, show, locale)}
${payments.map((payment) => paymentOf(payment, show))}
${order.notes !== null && html`<section class="note"><h2>Your note</h2><p><bdi>${order.notes}</bdi></p></section>`}
</main>`,
  });
}

const headings: Readonly<Record<Order['status'], string>> = {
  pending: 'Your order waits for your payment',
  placed: 'Thank you for your order',
  canceled: 'Your order was canceled',
};

const paymentStates: Readonly<Record<Order['paymentStatus'], string>> = {
  unpaid: 'Not paid yet',
  authorized: 'Payment authorised',
  partially_paid: 'Partially paid',
  paid: 'Paid',
  partially_refunded: 'Partially refunded',
  refunded: 'Refunded',
  voided: 'Payment voided',
};

function statusOf({ status, paymentStatus }: Order): string {
  const nothingPaid = paymentStatus === 'unpaid' || paymentStatus === 'voided';
  if (status === 'pending') return 'Waiting for payment';
  return status === 'canceled' && nothingPaid ? 'Canceled' : paymentStates[paymentStatus];
}

function dateOf(time: string, locale: string, timeZone: string): Html {
  const shown = dateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone }).format(new Date(time));
  return html`<time datetime="${time}"><bdi>${shown}</bdi></time>`;
}

function factsOf({ customer: { email, name, phone, address, billing } }: Order, locale: string): Html {
  const contact = [name, email, phone].filter((line) => line !== null);
  const facts: [title: string, lines: readonly string[]][] = [
    ['Contact', contact],
    ['Shipping address', addressLines(address, locale)],
    ['Billing address', addressLines(billing, locale)],
  ];
  return html`<section class="facts">${facts.map(
    ([title, lines]) =>
      lines.length > 0 && html`<div><h2>${title}</h2>${lines.map((line) => html`<p><bdi>${line}</bdi></p>`)}</div>`,
  )}</section>`;
}

type Show = (value: MoneyValue) => string;

/** How an open payment is made. */
function paymentOf({ name, instructions, reference, amount }: PaymentNotice, show: Show): Html {
  return html`<section class="note"><h2><bdi>${name}</bdi>: <bdi class="nowrap">${show(amount)}</bdi></h2>${instructions.map(
    (line) => html`<p><bdi>${line}</bdi></p>`,
  )}${reference !== null && html`<p>Reference: <bdi>${reference}</bdi></p>`}</section>`;
}

function itemsOf({ items, adjustments }: Order, show: Show): Html {
  const discountsOf = (id: string) => adjustments.filter(({ itemId, kind }) => itemId === id && kind === 'discount');
  return html`<table>
<thead><tr><th scope="col">Item</th><th scope="col" class="number">Quantity</th><th scope="col" class="number wide">Price</th><th scope="col" class="number">Total</th></tr></thead>
<tbody>${items.map(
    ({ id, title, variantTitle, sku, properties, quantity, unitPrice, total, refunded }) => html`
<tr><th scope="row"><bdi>${title}</bdi>${subtitleOf(variantTitle, sku)}${Object.entries(properties).map(
      ([name, value]) =>
        html`<div class="soft"><bdi>${name}</bdi>: <bdi>${typeof value === 'boolean' ? yesOrNo(value) : String(value)}</bdi></div>`,
    )}${discountsOf(id).map(
      ({ label, amount }) =>
        html`<div class="soft"><bdi>${label}</bdi>: <bdi class="nowrap">${show(amount)}</bdi></div>`,
    )}${refunded.quantity > 0 && html`<div class="soft">Refunded: ${refunded.quantity}</div>`}</th>
<td class="number">${quantity}</td><td class="number wide">${show(unitPrice)}</td><td class="number">${show(total)}</td></tr>`,
  )}
</tbody>
</table>`;
}

const yesOrNo = (value: boolean) => (value ? 'Yes' : 'No');

/** The default variant of a product without options has no title worth showing. */
function subtitleOf(variantTitle: string | null, sku: string | null): Html | false {
  const parts = [variantTitle === 'Default' ? null : variantTitle, sku].filter((part) => part !== null);
  return parts.length > 0 && html`<div class="soft"><bdi>${parts.join(' · ')}</bdi></div>`;
}

interface Sum {
  label: string;
  amount: number;
}

/** Amounts with the same label as one, in the order of their first appearance. */
function sumsByLabel(parts: readonly { label: string; amount: MoneyValue }[]): Sum[] {
  const sums = new Map<string, number>();
  for (const { label, amount } of parts) sums.set(label, (sums.get(label) ?? 0) + amount.amount);
  return [...sums].map(([label, amount]) => ({ label, amount }));
}

function totalsOf(order: Order, show: Show, locale: string): Html {
  const { adjustments, taxLines, totals, currency } = order;
  const row = ({ label, amount }: Sum) =>
    html`<tr><th scope="row"><bdi>${label}</bdi></th><td class="number">${show({ amount, currency })}</td></tr>`;
  const percent = numberFormat(locale, { style: 'percent', maximumFractionDigits: 5 });
  const taxes = taxLines.map(({ label, rate, included, amount }) => {
    const rated = rate === null ? label : `${label} ${percent.format(rate / 100)}`;
    return { label: included ? `Includes ${rated}` : rated, amount, included };
  });
  const ofKind = (kind: string) => sumsByLabel(adjustments.filter((each) => each.kind === kind));
  return html`<table class="totals"><tbody>
${row({ label: 'Subtotal', amount: totals.subtotal.amount })}
${ofKind('discount').map(row)}${ofKind('shipping').map(row)}${sumsByLabel(taxes.filter(({ included }) => !included)).map(row)}${ofKind('credit').map(row)}
<tr class="sum"><th scope="row">Total</th><td class="number">${show(totals.total)}</td></tr>
${sumsByLabel(taxes.filter(({ included }) => included)).map(row)}
${receivedFor(order).map(row)}
</tbody></table>`;
}

/** What was paid of the order, what was paid back, and what is left; nothing if the total says it all. */
function receivedFor({ status, paid, refunded, balance }: Order): Sum[] {
  if (refunded.amount === 0 && (balance.amount === 0 || paid.amount === 0)) return [];
  const left = status === 'placed' ? balance.amount : Math.min(balance.amount, 0);
  return [
    { label: 'Paid', amount: paid.amount },
    { label: 'Refunded', amount: -refunded.amount },
    { label: 'Left to pay', amount: Math.max(left, 0) },
    { label: 'To be refunded', amount: Math.max(-left, 0) },
  ].filter(({ amount }) => amount !== 0);
}

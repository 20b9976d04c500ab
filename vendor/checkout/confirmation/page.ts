/**
 * The confirmation of an order as a page to read and to print.
 */
import { findStore, type Store } from '@carton/core';
import {
  addressLines,
  type Order,
  type PaymentNotice,
  pageWords,
  paymentNoticesOf,
  shownVariantTitle,
} from '@carton/order';
import {
  dateTimeFormat,
  fillPhrase,
  formatMoney,
  type Html,
  type HtmlDocument,
  type HtmlValue,
  html,
  inLanguages,
  type MoneyValue,
  numberFormat,
  renderPage,
  type ShopperSession,
  type TenantDatabase,
  translationFor,
} from '@carton/runtime';
import { readAwaitedOrder } from '../ordering/reading.ts';
import { confirmationPhrases } from './phrases.ts';
import { statePhrases } from './states.ts';

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

const translations = inLanguages((language) => ({
  ...pageWords[language],
  ...confirmationPhrases[language],
  states: statePhrases[language],
}));
type Phrases = (typeof translations)['en'];

/** The page of an order, in its language, else in that of the store. */
export function renderConfirmation(
  order: Order,
  store: StoreOnPage,
  payments: readonly PaymentNotice[] = [],
): HtmlDocument {
  const { language, formats, texts } = translationFor(translations, [order.locale, store.defaultLocale]);
  const show = (value: MoneyValue) => formatMoney(value, formats);
  const date = (time: string) => dateOf(time, formats, store.timeZone);
  const number = html`<bdi>${order.number}</bdi>`;
  const placedOn = order.status === 'pending' ? texts.startedOn : texts.placedOn;
  return renderPage({
    language,
    title: html`${fillPhrase(texts.order, { number: order.number })} – ${store.name}`,
    images: store.logoUrl === null ? [] : [store.logoUrl],
    body: html`<main>
<header>
${store.logoUrl === null ? html`<p class="store">${store.name}</p>` : html`<img src="${store.logoUrl}" alt="${store.name}">`}
<p class="badge">${statusOf(order, texts)}</p>
</header>
<h1>${texts.states[`${order.status}Heading`]}</h1>
<p class="soft">${fillPhrase(placedOn, { number, date: date(order.createdAt) })}</p>
${order.payBy !== null && html`<p class="soft">${fillPhrase(texts.payBy, { date: date(order.payBy) })}</p>`}
${factsOf(order, texts, formats)}
${itemsOf(order, texts, show)}
${totalsOf(order, texts, show, formats)}
${payments.map((payment) => paymentOf(payment, texts, show))}
${order.notes !== null && html`<section class="note"><h2>${texts.yourNote}</h2><p><bdi>${order.notes}</bdi></p></section>`}
</main>`,
  });
}

const paymentStates = {
  unpaid: 'unpaid',
  authorized: 'authorized',
  partially_paid: 'partiallyPaid',
  paid: 'paid',
  partially_refunded: 'partiallyRefunded',
  refunded: 'refunded',
  voided: 'voided',
} as const satisfies Record<Order['paymentStatus'], keyof Phrases['states']>;

function statusOf({ status, paymentStatus }: Order, { states, canceled }: Phrases): string {
  const nothingPaid = paymentStatus === 'unpaid' || paymentStatus === 'voided';
  if (status === 'pending') return states.waiting;
  return status === 'canceled' && nothingPaid ? canceled : states[paymentStates[paymentStatus]];
}

/** `Reference: 5F3A`, in the form of the language. */
function labelled({ labelled: phrase }: Phrases, label: HtmlValue, value: HtmlValue): Html {
  return fillPhrase(phrase, { label, value });
}

function dateOf(time: string, locale: string, timeZone: string): Html {
  const shown = dateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone }).format(new Date(time));
  return html`<time datetime="${time}"><bdi>${shown}</bdi></time>`;
}

function factsOf({ customer: { email, name, phone, address, billing } }: Order, texts: Phrases, locale: string): Html {
  const contact = [name, email, phone].filter((line) => line !== null);
  const facts: [title: string, lines: readonly string[]][] = [
    [texts.contact, contact],
    [texts.shippingAddress, addressLines(address, locale)],
    [texts.billingAddress, addressLines(billing, locale)],
  ];
  return html`<section class="facts">${facts.map(
    ([title, lines]) =>
      lines.length > 0 && html`<div><h2>${title}</h2>${lines.map((line) => html`<p><bdi>${line}</bdi></p>`)}</div>`,
  )}</section>`;
}

type Show = (value: MoneyValue) => string;

/** How an open payment is made. */
function paymentOf({ name, instructions, reference, amount }: PaymentNotice, texts: Phrases, show: Show): Html {
  return html`<section class="note"><h2>${labelled(texts, html`<bdi>${name}</bdi>`, html`<bdi class="nowrap">${show(amount)}</bdi>`)}</h2>${instructions.map(
    (line) => html`<p><bdi>${line}</bdi></p>`,
  )}${reference !== null && html`<p>${labelled(texts, texts.reference, html`<bdi>${reference}</bdi>`)}</p>`}</section>`;
}

function itemsOf({ items, adjustments }: Order, texts: Phrases, show: Show): Html {
  const discountsOf = (id: string) => adjustments.filter(({ itemId, kind }) => itemId === id && kind === 'discount');
  return html`<table>
<thead><tr><th scope="col">${texts.item}</th><th scope="col" class="number">${texts.quantity}</th><th scope="col" class="number wide">${texts.price}</th><th scope="col" class="number">${texts.total}</th></tr></thead>
<tbody>${items.map(
    ({ id, title, variantTitle, sku, properties, quantity, unitPrice, total, refunded }) => html`
<tr><th scope="row"><bdi>${title}</bdi>${subtitleOf(variantTitle, sku)}${Object.entries(properties).map(
      ([name, value]) =>
        html`<div class="soft">${labelled(texts, html`<bdi>${name}</bdi>`, html`<bdi>${propertyOf(value, texts)}</bdi>`)}</div>`,
    )}${discountsOf(id).map(
      ({ label, amount }) =>
        html`<div class="soft">${labelled(texts, html`<bdi>${label}</bdi>`, html`<bdi class="nowrap">${show(amount)}</bdi>`)}</div>`,
    )}${refunded.quantity > 0 && html`<div class="soft">${labelled(texts, texts.refunded, refunded.quantity)}</div>`}</th>
<td class="number">${quantity}</td><td class="number wide">${show(unitPrice)}</td><td class="number">${show(total)}</td></tr>`,
  )}
</tbody>
</table>`;
}

function propertyOf(value: unknown, { yes, no }: Phrases): string {
  if (typeof value === 'boolean') return value ? yes : no;
  return String(value);
}

function subtitleOf(variantTitle: string | null, sku: string | null): Html | false {
  const parts = [shownVariantTitle(variantTitle), sku].filter((part) => part !== null);
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

function totalsOf(order: Order, texts: Phrases, show: Show, locale: string): Html {
  const { adjustments, taxLines, totals, currency } = order;
  const row = ({ label, amount }: Sum) =>
    html`<tr><th scope="row"><bdi>${label}</bdi></th><td class="number">${show({ amount, currency })}</td></tr>`;
  const percent = numberFormat(locale, { style: 'percent', maximumFractionDigits: 5 });
  const taxes = taxLines.map(({ label, rate, included, amount }) => {
    const rated = rate === null ? label : `${label} ${percent.format(rate / 100)}`;
    return { label: included ? texts.includes.replace('{tax}', () => rated) : rated, amount, included };
  });
  const ofKind = (kind: string) => sumsByLabel(adjustments.filter((each) => each.kind === kind));
  return html`<table class="totals"><tbody>
${row({ label: texts.subtotal, amount: totals.subtotal.amount })}
${ofKind('discount').map(row)}${ofKind('shipping').map(row)}${sumsByLabel(taxes.filter(({ included }) => !included)).map(row)}${ofKind('credit').map(row)}${totals.rounding.amount !== 0 && row({ label: texts.rounding, amount: totals.rounding.amount })}
<tr class="sum"><th scope="row">${texts.total}</th><td class="number">${show(totals.total)}</td></tr>
${sumsByLabel(taxes.filter(({ included }) => included)).map(row)}
${receivedFor(order, texts).map(row)}
</tbody></table>`;
}

/** What was paid of the order, what was paid back, and what is left; nothing if the total says it all. */
function receivedFor({ status, paid, refunded, balance }: Order, texts: Phrases): Sum[] {
  if (refunded.amount === 0 && (balance.amount === 0 || paid.amount === 0)) return [];
  const left = status === 'placed' ? balance.amount : Math.min(balance.amount, 0);
  return [
    { label: texts.paid, amount: paid.amount },
    { label: texts.refunded, amount: -refunded.amount },
    { label: texts.leftToPay, amount: Math.max(left, 0) },
    { label: texts.toBeRefunded, amount: Math.max(-left, 0) },
  ].filter(({ amount }) => amount !== 0);
}

/**
 * Invoices and credit notes as pages to read and to print.
 */
import { findOrder, isPlacedBy, maskOrder, type Order } from '@carton/order';
import {
  dateTimeFormat,
  formatMoney,
  type Html,
  type HtmlDocument,
  html,
  money,
  notFound,
  numberFormat,
  renderPage,
  type ShopperSession,
  type TenantDatabase,
} from '@carton/runtime';
import {
  type ContentLine,
  type InvoiceContent,
  type InvoiceKind,
  type LinePart,
  sumsByGroup,
  type TaxGroup,
  type TaxOfRate,
  totalsOf,
} from './content.ts';
import { type InvoiceRow, invoicesOfOrder } from './store.ts';

/**
 * Returns the invoices of an order with their credit notes; personal data is masked unless the caller placed the order.
 * @throws not_found (404) for an unknown order, or one without an invoice
 */
export async function readInvoicePage(
  db: TenantDatabase,
  session: ShopperSession,
  orderId: string,
): Promise<HtmlDocument> {
  const [order, found] = [await findOrder(db, orderId), await invoicesOfOrder(db, orderId)];
  if (!order) throw notFound(`There is no order with the id ${orderId}.`);
  if (found.length === 0) throw notFound('The order has no invoice.');
  return renderInvoices(isPlacedBy(order, session) ? found : found.map((row) => maskInvoice(order, row)));
}

/** Masks the personal data of an invoice, as that of its order. */
export function maskInvoice(order: Order, row: InvoiceRow): InvoiceRow {
  const { buyer, delivery, reason, note } = row.content;
  const address = buyer.address.join('\n') || null;
  const customer = { name: buyer.name, email: buyer.email, phone: null, address, billing: delivery.join('\n') || null };
  const masked = maskOrder({ ...order, customer, notes: '-' });
  const { name, email } = masked.customer;
  const lines = (value: unknown) => (value ? [String(value)] : []);
  const text = (value: string | null) => value && masked.notes;
  return {
    ...row,
    content: {
      ...row.content,
      buyer: { name, email, address: lines(masked.customer.address), vatNumber: text(buyer.vatNumber) },
      delivery: lines(masked.customer.billing),
      reason: text(reason),
      note: text(note),
    },
  };
}

const titles: Readonly<Record<InvoiceKind, string>> = { invoice: 'Invoice', credit_note: 'Credit note' };

/** Renders invoices and credit notes of one order, in the language of the first one as far as days and amounts go. */
export function renderInvoices(
  rows: readonly Pick<InvoiceRow, 'kind' | 'number' | 'currency' | 'content'>[],
): HtmlDocument {
  const [first] = rows;
  if (!first) throw new Error('there is no invoice to render');
  const { seller } = first.content;
  return renderPage({
    language: 'en',
    title: `${titles[first.kind]} ${first.number} – ${seller.name}`,
    images: rows.flatMap(({ content }) => content.seller.logoUrl ?? []),
    body: html`${rows.map(renderInvoice)}`,
  });
}

function renderInvoice({ kind, number, currency, content }: Parameters<typeof renderInvoices>[0][number]): Html {
  const { locale, seller, addsTo, corrects, reason, note, lines } = content;
  const show = (amount: number) => formatMoney(money(amount, currency), locale);
  return html`<main class="sheet">
<header>
${seller.logoUrl === null ? html`<p class="store">${seller.name}</p>` : html`<img src="${seller.logoUrl}" alt="${seller.name}">`}
<p class="badge">${titles[kind]}</p>
</header>
<h1>${titles[kind]} <bdi>${number}</bdi></h1>
${addsTo && html`<p class="soft">In addition to invoice <bdi>${addsTo.number}</bdi> of ${dayOf(addsTo.issuedOn, locale)}</p>`}
${corrects && html`<p class="soft">For invoice <bdi>${corrects.number}</bdi> of ${dayOf(corrects.issuedOn, locale)}</p>`}
${reason !== null && html`<p class="soft">Reason: <bdi>${reason}</bdi></p>`}
${factsOf(content)}
${linesOf(content, html`${titles[kind]} <bdi>${number}</bdi>`, show)}
${taxesOf(content, kind, show)}
${totalsTable(lines, kind, show)}
${[note, seller.note].map((text) => text !== null && html`<section class="note"><p><bdi>${text}</bdi></p></section>`)}
</main>
`;
}

type Show = (amount: number) => string;

/** A day in a language: `22. November 2026`. */
function dayOf(day: string, locale: string): Html {
  const shown = dateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(day));
  return html`<time datetime="${day}"><bdi>${shown}</bdi></time>`;
}

function factsOf({ locale, seller, buyer, delivery, ...content }: InvoiceContent): Html {
  const { orderNumber, orderedOn, issuedOn, suppliedOn } = content;
  const line = (text: string) => html`<p><bdi>${text}</bdi></p>`;
  const vat = (number: string | null) => number !== null && html`<p>VAT number <bdi>${number}</bdi></p>`;
  const block = (title: string, lines: readonly (Html | false)[]) =>
    lines.length > 0 && html`<div><h2>${title}</h2>${lines}</div>`;
  const days: [label: string, day: string | null][] = [
    ['Date', issuedOn],
    ['Date of supply', suppliedOn],
    ['Date of order', orderedOn],
  ];
  // The address often begins with the name.
  const name = buyer.name !== null && buyer.address[0] !== buyer.name && [line(buyer.name)];
  return html`<section class="facts">
${block('Seller', [line(seller.legalName), ...seller.address.map(line), vat(seller.vatNumber), seller.registrationNumber ? line(seller.registrationNumber) : false])}
${block('Bill to', [...(name || []), ...buyer.address.map(line), line(buyer.email), vat(buyer.vatNumber)])}
${block('Deliver to', delivery.map(line))}
<div><h2>Details</h2>${days.map(([label, day]) => day !== null && html`<p>${label}: ${dayOf(day, locale)}</p>`)}
<p>Order: <bdi>${orderNumber}</bdi></p></div>
</section>`;
}

/** The amount of a part as prices are: with the taxes that they contain. */
function priced({ group, net, taxes }: LinePart, groups: readonly TaxGroup[]): number {
  return taxes.reduce((sum, tax, at) => sum + (groups[group]?.[at]?.included ? tax : 0), net);
}

/** @param heading repeated on each printed page */
function linesOf({ taxGroups, lines, locale }: InvoiceContent, heading: Html, show: Show): Html {
  const rates = ({ parts }: ContentLine) =>
    parts.map(({ group }) => ratesOf(taxGroups[group] ?? [], locale)).join(', ');
  return html`<table>
<thead><tr class="printed"><th colspan="5">${heading}</th></tr><tr><th scope="col">Item</th><th scope="col" class="number">Quantity</th><th scope="col" class="number wide">Price</th><th scope="col" class="number wide">Tax</th><th scope="col" class="number">Amount</th></tr></thead>
<tbody>${lines.map((line) => {
    const { title, variantTitle, sku, quantity, unitAmount, discount, parts } = line;
    const subtitle = [variantTitle === 'Default' ? null : variantTitle, sku].filter((part) => part !== null);
    const amount = parts.reduce((sum, part) => sum + priced(part, taxGroups), 0);
    return html`
<tr><th scope="row"><bdi>${title}</bdi>${subtitle.length > 0 && html`<div class="soft"><bdi>${subtitle.join(' · ')}</bdi></div>`}${discount !== 0 && html`<div class="soft">Discount: <bdi class="nowrap">${show(discount)}</bdi></div>`}</th>
<td class="number">${unitAmount === null ? '' : quantity === 0 ? '–' : quantity}</td><td class="number wide">${unitAmount !== null && quantity > 0 && show(unitAmount)}</td><td class="number wide">${rates(line)}</td><td class="number">${show(amount)}</td></tr>`;
  })}
</tbody>
</table>`;
}

function percentOf({ rate }: TaxOfRate, locale: string): string | null {
  const percent = numberFormat(locale, { style: 'percent', maximumFractionDigits: 5 });
  return rate === null ? null : percent.format(rate / 100);
}

/** The rates of a group: `5% + 9.975%`; a dash without taxes. */
function ratesOf(group: TaxGroup, locale: string): string {
  return group.map((tax) => percentOf(tax, locale) ?? tax.label).join(' + ') || '–';
}

function taxesOf(content: InvoiceContent, kind: InvoiceKind, show: Show): Html {
  const { locale } = content;
  const groups = sumsByGroup(content).filter(
    ({ gross, taxes }) => kind === 'invoice' || gross !== 0 || taxes.some(({ amount }) => amount !== 0),
  );
  const labelOf = (tax: TaxOfRate) => [tax.label, percentOf(tax, locale)].filter(Boolean).join(' ');
  return html`<table class="taxes">
<thead><tr><th scope="col">Tax</th><th scope="col" class="number">Net</th><th scope="col" class="number">Tax</th><th scope="col" class="number wide">Gross</th></tr></thead>
<tbody>${groups.map(
    ({ taxes, net, tax, gross }) => html`
<tr><th scope="row"><bdi>${taxes.map(labelOf).join(' + ') || 'No tax'}</bdi>${
      taxes.length > 1 &&
      taxes.map(
        (each) =>
          html`<div class="soft"><bdi>${labelOf(each)}</bdi>: <bdi class="nowrap">${show(each.amount)}</bdi></div>`,
      )
    }</th><td class="number">${show(net)}</td><td class="number">${show(tax)}</td><td class="number wide">${show(gross)}</td></tr>`,
  )}
</tbody>
</table>`;
}

function totalsTable(lines: readonly ContentLine[], kind: InvoiceKind, show: Show): Html {
  const { net, tax, credit, total } = totalsOf(lines);
  const row = (label: string, amount: number) =>
    html`<tr><th scope="row">${label}</th><td class="number">${show(amount)}</td></tr>`;
  return html`<table class="totals"><tbody>
${row('Net', net)}${row('Tax', tax)}${credit !== 0 && row('Credit', credit)}
<tr class="sum"><th scope="row">${kind === 'invoice' ? 'Total' : 'Total credited'}</th><td class="number">${show(total)}</td></tr>
</tbody></table>`;
}

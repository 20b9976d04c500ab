/**
 * Invoices and credit notes as pages to read and to print.
 */
import { findOrder, isPlacedBy, maskOrder, type Order, pageWords, shownVariantTitle } from '@carton/order';
import {
  dateTimeFormat,
  fillPhrase,
  formatMoney,
  type Html,
  type HtmlDocument,
  type HtmlValue,
  html,
  inLanguages,
  money,
  notFound,
  renderPage,
  type ShopperSession,
  type TenantDatabase,
  type Translation,
  translationFor,
} from '@carton/runtime';
import {
  buyerLines,
  type ContentLine,
  type InvoiceContent,
  type InvoiceKind,
  sumsByGroup,
  type TaxOfRate,
  totalsOf,
} from '../content.ts';
import { type InvoiceRow, invoicesOfOrder } from '../store.ts';
import { labelOfTax, priced, ratesOf } from './amounts.ts';
import { exemptionPhrases } from './exemptions.ts';
import { invoicePhrases } from './phrases.ts';
import { untaxedOf } from './untaxed.ts';

/**
 * The invoices of an order with their credit notes; personal data is masked unless the caller placed the order.
 * @throws not_found (404) for an unknown order, or one without an invoice
 */
export async function readableInvoices(
  db: TenantDatabase,
  session: ShopperSession,
  orderId: string,
): Promise<[InvoiceRow, ...InvoiceRow[]]> {
  const [order, found] = [await findOrder(db, orderId), await invoicesOfOrder(db, orderId)];
  if (!order) throw notFound(`There is no order with the id ${orderId}.`);
  const [first, ...others] = isPlacedBy(order, session) ? found : found.map((row) => maskInvoice(order, row));
  if (!first) throw notFound('The order has no invoice.');
  return [first, ...others];
}

/** The invoices of an order as a page. @throws as `readableInvoices` */
export async function readInvoicePage(
  db: TenantDatabase,
  session: ShopperSession,
  orderId: string,
): Promise<HtmlDocument> {
  return renderInvoices(await readableInvoices(db, session, orderId));
}

/** Masks the personal data of an invoice, as that of its order. */
export function maskInvoice(order: Order, row: InvoiceRow): InvoiceRow {
  const { buyer, delivery, reason, note } = row.content;
  const address = buyer.address.join('\n') || null;
  const { name: buyerName, email: buyerEmail, vatNumber: taxNumber } = buyer;
  const billing = delivery.join('\n') || null;
  const customer = { name: buyerName, email: buyerEmail, phone: null, address, billing, taxNumber };
  const masked = maskOrder({ ...order, customer, notes: '-' });
  const { name, email, taxNumber: number } = masked.customer;
  const lines = (value: unknown) => (value ? [String(value)] : []);
  const text = (value: string | null) => value && masked.notes;
  return {
    ...row,
    content: {
      ...row.content,
      buyer: { name, email, address: lines(masked.customer.address), vatNumber: number, taxNumber: number },
      delivery: lines(masked.customer.billing),
      reason: text(reason),
      note: text(note),
    },
  };
}

const translations = inLanguages((language) => ({
  ...pageWords[language],
  ...invoicePhrases[language],
  exemptions: exemptionPhrases[language],
}));
type Phrases = (typeof translations)['en'];

const titleOf = (kind: InvoiceKind, { invoice, creditNote }: Phrases) => (kind === 'invoice' ? invoice : creditNote);

/** `Reason: returned`, in the form of the language. */
function labelled({ labelled: phrase }: Phrases, label: HtmlValue, value: HtmlValue): Html {
  return fillPhrase(phrase, { label, value });
}

/** Renders invoices and credit notes of one order, each in its language; the page is in that of the first one. */
export function renderInvoices(
  rows: readonly Pick<InvoiceRow, 'kind' | 'number' | 'currency' | 'content'>[],
): HtmlDocument {
  const [first] = rows;
  if (!first) throw new Error('there is no invoice to render');
  const { locale, seller } = first.content;
  const { language, texts } = translationFor(translations, [locale]);
  return renderPage({
    language,
    title: `${titleOf(first.kind, texts)} ${first.number} – ${seller.name}`,
    images: rows.flatMap(({ content }) => content.seller.logoUrl ?? []),
    body: html`${rows.map(renderInvoice)}`,
  });
}

function renderInvoice({ kind, number, currency, content }: Parameters<typeof renderInvoices>[0][number]): Html {
  const { seller, addsTo, corrects, reason, note, taxExemption = null } = content;
  const translation = translationFor(translations, [content.locale]);
  const { formats, texts } = translation;
  const show = (amount: number) => formatMoney(money(amount, currency), formats);
  const title = titleOf(kind, texts);
  const of = (phrase: string, other: { number: string; issuedOn: string }) =>
    fillPhrase(phrase, { number: html`<bdi>${other.number}</bdi>`, date: dayOf(other.issuedOn, formats) });
  return html`<main class="sheet">
<header>
${seller.logoUrl === null ? html`<p class="store">${seller.name}</p>` : html`<img src="${seller.logoUrl}" alt="${seller.name}">`}
<p class="badge">${title}</p>
</header>
<h1>${title} <bdi>${number}</bdi></h1>
${addsTo && html`<p class="soft">${of(texts.inAddition, addsTo)}</p>`}
${corrects && html`<p class="soft">${of(texts.forInvoice, corrects)}</p>`}
${reason !== null && html`<p class="soft">${labelled(texts, texts.reason, html`<bdi>${reason}</bdi>`)}</p>`}
${factsOf(content, translation)}
${linesOf(content, html`${title} <bdi>${number}</bdi>`, translation, show)}
${taxesOf(content, kind, translation, show)}
${totalsTable(content, kind, translation, show)}
${(taxExemption === null ? untaxedOf(content) : [taxExemption]).map((why) => html`<section class="note"><p>${texts.exemptions[why]}</p></section>`)}
${[note, seller.note].map((text) => text !== null && html`<section class="note"><p><bdi>${text}</bdi></p></section>`)}
</main>
`;
}

type Show = (amount: number) => string;
type Translated = Translation<Phrases>;

/** A day in a language: `22. November 2026`. */
function dayOf(day: string, locale: string): Html {
  const shown = dateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(day));
  return html`<time datetime="${day}"><bdi>${shown}</bdi></time>`;
}

function factsOf({ seller, buyer, delivery, ...content }: InvoiceContent, { formats, texts }: Translated): Html {
  const { orderNumber, orderedOn, issuedOn, suppliedOn } = content;
  const line = (text: string) => html`<p><bdi>${text}</bdi></p>`;
  const vat = (number: string | null) =>
    number !== null && html`<p>${fillPhrase(texts.vatNumber, { number: html`<bdi>${number}</bdi>` })}</p>`;
  const block = (title: string, lines: readonly (Html | false)[]) =>
    lines.length > 0 && html`<div><h2>${title}</h2>${lines}</div>`;
  const days: [label: string, day: string | null][] = [
    [texts.date, issuedOn],
    [texts.dateOfSupply, suppliedOn],
    [texts.dateOfOrder, orderedOn],
  ];
  return html`<section class="facts">
${block(texts.seller, [line(seller.legalName), ...seller.address.map(line), vat(seller.vatNumber), seller.registrationNumber ? line(seller.registrationNumber) : false])}
${block(texts.billTo, [...buyerLines(buyer).map(line), line(buyer.email), vat(buyer.vatNumber)])}
${block(texts.deliverTo, delivery.map(line))}
<div><h2>${texts.details}</h2>${days.map(([label, day]) => day !== null && html`<p>${labelled(texts, label, dayOf(day, formats))}</p>`)}
<p>${labelled(texts, texts.order, html`<bdi>${orderNumber}</bdi>`)}</p></div>
</section>`;
}

/** @param heading repeated on each printed page */
function linesOf(
  { taxGroups, lines }: InvoiceContent,
  heading: Html,
  { formats, texts }: Translated,
  show: Show,
): Html {
  const rates = ({ parts }: ContentLine) =>
    parts.map(({ group }) => ratesOf(taxGroups[group] ?? [], formats)).join(', ');
  return html`<table>
<thead><tr class="printed"><th colspan="5">${heading}</th></tr><tr><th scope="col">${texts.item}</th><th scope="col" class="number">${texts.quantity}</th><th scope="col" class="number wide">${texts.price}</th><th scope="col" class="number wide">${texts.tax}</th><th scope="col" class="number">${texts.amount}</th></tr></thead>
<tbody>${lines.map((line) => {
    const { title, variantTitle, sku, quantity, unitAmount, discount, parts } = line;
    const subtitle = [shownVariantTitle(variantTitle), sku].filter((part) => part !== null);
    const amount = parts.reduce((sum, part) => sum + priced(part, taxGroups), 0);
    return html`
<tr><th scope="row"><bdi>${title}</bdi>${subtitle.length > 0 && html`<div class="soft"><bdi>${subtitle.join(' · ')}</bdi></div>`}${discount !== 0 && html`<div class="soft">${labelled(texts, texts.discount, html`<bdi class="nowrap">${show(discount)}</bdi>`)}</div>`}</th>
<td class="number">${unitAmount === null ? '' : quantity === 0 ? '–' : quantity}</td><td class="number wide">${unitAmount !== null && quantity > 0 && show(unitAmount)}</td><td class="number wide">${rates(line)}</td><td class="number">${show(amount)}</td></tr>`;
  })}
</tbody>
</table>`;
}

function taxesOf(content: InvoiceContent, kind: InvoiceKind, { formats, texts }: Translated, show: Show): Html {
  const groups = sumsByGroup(content).filter(
    ({ gross, taxes }) => kind === 'invoice' || gross !== 0 || taxes.some(({ amount }) => amount !== 0),
  );
  const labelOf = (tax: TaxOfRate) => labelOfTax(tax, formats);
  return html`<table class="taxes">
<thead><tr><th scope="col">${texts.tax}</th><th scope="col" class="number">${texts.net}</th><th scope="col" class="number">${texts.tax}</th><th scope="col" class="number wide">${texts.gross}</th></tr></thead>
<tbody>${groups.map(
    ({ taxes, net, tax, gross }) => html`
<tr><th scope="row"><bdi>${taxes.map(labelOf).join(' + ') || texts.noTax}</bdi>${
      taxes.length > 1 &&
      taxes.map(
        (each) =>
          html`<div class="soft">${labelled(texts, html`<bdi>${labelOf(each)}</bdi>`, html`<bdi class="nowrap">${show(each.amount)}</bdi>`)}</div>`,
      )
    }</th><td class="number">${show(net)}</td><td class="number">${show(tax)}</td><td class="number wide">${show(gross)}</td></tr>`,
  )}
</tbody>
</table>`;
}

function totalsTable(
  { lines, paid }: InvoiceContent,
  kind: InvoiceKind,
  { formats, texts }: Translated,
  show: Show,
): Html {
  const { net, tax, credit, rounding, total } = totalsOf(lines);
  const row = (label: HtmlValue, amount: number) =>
    html`<tr><th scope="row">${label}</th><td class="number">${show(amount)}</td></tr>`;
  return html`<table class="totals"><tbody>
${row(texts.net, net)}${row(texts.tax, tax)}${credit !== 0 && row(texts.credit, credit)}${rounding !== 0 && row(texts.rounding, rounding)}
<tr class="sum"><th scope="row">${kind === 'invoice' ? texts.total : texts.totalCredited}</th><td class="number">${show(total)}</td></tr>
${paid && html`${row(fillPhrase(texts.paidOn, { date: dayOf(paid.on, formats) }), -paid.amount)}<tr class="sum"><th scope="row">${texts.due}</th><td class="number">${show(total - paid.amount)}</td></tr>`}
</tbody></table>`;
}

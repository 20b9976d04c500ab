/**
 * An invoice or a credit note as the texts of a printed sheet, in its language: the same that the page shows, without the
 * logo, which is an address whose picture may change. The task that draws it needs nothing else.
 */
import { pageWords, shownVariantTitle } from '@carton/order';
import { dateTimeFormat, formatMoney, inLanguages, money, translationFor } from '@carton/runtime';
import { buyerLines, type ContentLine, sumsByGroup, totalsOf } from '../content.ts';
import { labelOfTax, priced, ratesOf } from '../page/amounts.ts';
import { exemptionPhrases } from '../page/exemptions.ts';
import { invoicePhrases } from '../page/phrases.ts';
import { untaxedOf } from '../page/untaxed.ts';
import type { InvoiceRow } from '../store.ts';

/** Texts in a block below a heading. */
export interface SheetBlock {
  title: string;
  lines: string[];
}

export interface SheetRow {
  cells: string[];
  /** Below the text of the first cell, smaller. */
  details: string[];
}

export interface SheetTable {
  head: string[];
  rows: SheetRow[];
}

/** Texts may have isolates (U+2068, U+2069) around values, so that none changes the direction of others. */
export interface Sheet {
  /** BCP 47 */
  language: string;
  isRightToLeft: boolean;
  store: string;
  badge: string;
  heading: string;
  /** The day of issue, of which the file is: `2026-11-22`. */
  day: string;
  remarks: string[];
  facts: SheetBlock[];
  lines: SheetTable;
  taxes: SheetTable;
  /** The last one is what is to be paid or credited. */
  totals: [label: string, amount: string][];
  notes: string[];
}

const translations = inLanguages((language) => ({
  ...pageWords[language],
  ...invoicePhrases[language],
  exemptions: exemptionPhrases[language],
}));

/** What changes the direction of texts around it, other than a mark of one character, comes from nobody but this file. */
const isolate = (text: string) => `\u2068${text.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '')}\u2069`;

const fill = (phrase: string, values: Readonly<Record<string, string>>) =>
  phrase.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] as string);

/** @throws Error for a language without phrases */
export function sheetOf({
  kind,
  number,
  currency,
  content,
}: Pick<InvoiceRow, 'kind' | 'number' | 'currency' | 'content'>): Sheet {
  const {
    seller,
    buyer,
    delivery,
    addsTo,
    corrects,
    reason,
    note,
    lines,
    taxGroups,
    taxExemption = null,
    paid,
  } = content;
  const { language, formats, texts } = translationFor(translations, [content.locale]);
  const show = (amount: number) => isolate(formatMoney(money(amount, currency), formats));
  const labelled = (label: string, value: string) => fill(texts.labelled, { label, value: isolate(value) });
  const dayOf = (day: string) => dateTimeFormat(formats, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(day));
  const other = (phrase: string, { number: of, issuedOn }: { number: string; issuedOn: string }) =>
    fill(phrase, { number: isolate(of), date: isolate(dayOf(issuedOn)) });
  const vat = (value: string | null) => (value === null ? [] : [fill(texts.vatNumber, { number: isolate(value) })]);
  const title = kind === 'invoice' ? texts.invoice : texts.creditNote;
  const days: [string, string | null][] = [
    [texts.date, content.issuedOn],
    [texts.dateOfSupply, content.suppliedOn],
    [texts.dateOfOrder, content.orderedOn],
  ];
  const rowOf = (line: ContentLine): SheetRow => {
    const { quantity, unitAmount, discount, parts } = line;
    const subtitle = [shownVariantTitle(line.variantTitle), line.sku].filter((part) => part !== null).join(' · ');
    return {
      cells: [
        isolate(line.title),
        unitAmount === null ? '' : quantity === 0 ? '–' : String(quantity),
        unitAmount !== null && quantity > 0 ? show(unitAmount) : '',
        isolate(parts.map(({ group }) => ratesOf(taxGroups[group] ?? [], formats)).join(', ')),
        show(parts.reduce((sum, part) => sum + priced(part, taxGroups), 0)),
      ],
      details: [
        ...(subtitle ? [isolate(subtitle)] : []),
        ...(discount === 0 ? [] : [labelled(texts.discount, formatMoney(money(discount, currency), formats))]),
      ],
    };
  };
  const groups = sumsByGroup(content).filter(
    ({ gross, taxes }) => kind === 'invoice' || gross !== 0 || taxes.some(({ amount }) => amount !== 0),
  );
  const { net, tax, credit, rounding, total } = totalsOf(lines);
  return {
    language,
    isRightToLeft: language === 'ar',
    store: isolate(seller.name),
    badge: title,
    heading: `${title} ${isolate(number)}`,
    day: content.issuedOn,
    remarks: [
      ...(addsTo ? [other(texts.inAddition, addsTo)] : []),
      ...(corrects ? [other(texts.forInvoice, corrects)] : []),
      ...(reason === null ? [] : [labelled(texts.reason, reason)]),
    ],
    facts: [
      {
        title: texts.seller,
        lines: [
          ...[seller.legalName, ...seller.address].map(isolate),
          ...vat(seller.vatNumber),
          ...(seller.registrationNumber ? [isolate(seller.registrationNumber)] : []),
        ],
      },
      {
        title: texts.billTo,
        lines: [...[...buyerLines(buyer), buyer.email].map(isolate), ...vat(buyer.vatNumber)],
      },
      { title: texts.deliverTo, lines: delivery.map(isolate) },
      {
        title: texts.details,
        lines: [
          ...days.flatMap(([label, day]) => (day === null ? [] : [labelled(label, dayOf(day))])),
          labelled(texts.order, content.orderNumber),
        ],
      },
    ].filter((block) => block.lines.length > 0),
    lines: { head: [texts.item, texts.quantity, texts.price, texts.tax, texts.amount], rows: lines.map(rowOf) },
    taxes: {
      head: [texts.tax, texts.net, texts.tax, texts.gross],
      rows: groups.map(({ taxes, ...sums }) => ({
        cells: [
          taxes.map((each) => isolate(labelOfTax(each, formats))).join(' + ') || texts.noTax,
          ...[sums.net, sums.tax, sums.gross].map(show),
        ],
        details:
          taxes.length < 2
            ? []
            : taxes.map((each) =>
                labelled(isolate(labelOfTax(each, formats)), formatMoney(money(each.amount, currency), formats)),
              ),
      })),
    },
    totals: [
      [texts.net, show(net)],
      [texts.tax, show(tax)],
      ...(credit === 0 ? [] : [[texts.credit, show(credit)] as [string, string]]),
      ...(rounding === 0 ? [] : [[texts.rounding, show(rounding)] as [string, string]]),
      [kind === 'invoice' ? texts.total : texts.totalCredited, show(total)],
      ...(paid
        ? [
            [fill(texts.paidOn, { date: isolate(dayOf(paid.on)) }), show(-paid.amount)] as [string, string],
            [texts.due, show(total - paid.amount)] as [string, string],
          ]
        : []),
    ],
    notes: [
      ...(taxExemption === null ? untaxedOf(content) : [taxExemption]).map((why) => texts.exemptions[why]),
      ...[note, seller.note].flatMap((text) => (text === null ? [] : [isolate(text)])),
    ],
  };
}

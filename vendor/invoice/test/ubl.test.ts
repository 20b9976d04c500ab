/**
 * Electronic invoices in UBL: what they say of a document, what EN 16931 has no form for, and that no text becomes markup.
 */
import { readFileSync } from 'node:fs';
import { Problem } from '@carton/runtime';
import t from 'tap';
import type { ContentLine, InvoiceContent, TaxGroup } from '../content.ts';
import { electronicOf, type Issued } from '../electronic/model.ts';
import { ublOf } from '../electronic/ubl.ts';
import { renderInvoices } from '../page/markup.ts';
import { sheetOf } from '../pdf/sheet.ts';
import { document } from './documents.ts';
import { at, brokenRules, parseXml } from './en16931.ts';

const ubl = (issued: Issued) => ublOf(electronicOf(issued));
const content = document().content;

/** The texts at a path. */
function textsAt(xml: string, path: string): string[] {
  const [, root] = parseXml(xml);
  return at(root, path).map(({ text }) => text);
}

function refusalOf(over: object, currency = 'EUR'): string {
  try {
    ubl({ ...document(over), currency });
    return 'none';
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    t.equal(error.type.code, 'electronic_invoice_not_possible');
    return error.message;
  }
}

/** A document whose goods have this group of taxes, without shipping. */
function taxedBy(taxes: TaxGroup, amounts: number[], over: object = {}): Partial<InvoiceContent> {
  const [goods] = content.lines as [InvoiceContent['lines'][number]];
  return { taxGroups: [taxes], lines: [{ ...goods, parts: [{ group: 0, net: 2900, taxes: amounts }] }], ...over };
}

t.test('an invoice', async (t) => {
  const xml = ubl(document({ suppliedOn: '2026-11-30', note: 'Thank you' }));
  t.equal(xml, readFileSync(new URL('invoice.xml', import.meta.url), 'utf8'));
  t.strictSame(brokenRules(xml), []);
  t.equal(ubl(document({ suppliedOn: '2026-11-30', note: 'Thank you' })), xml, 'the same each time');
});

t.test('a credit note refers to its invoice; so does an invoice that adds to one', async (t) => {
  const preceding = { number: 'INV-17', issuedOn: '2026-11-22' };
  const goods = taxedBy(content.taxGroups[0] as TaxGroup, [551]);
  const note = {
    ...document({ ...goods, corrects: preceding, reason: 'Broken' }),
    kind: 'credit_note',
    number: 'CN-1',
  } as const;
  const xml = ubl(note);
  t.match(xml, /<CreditNote [\s\S]*<cbc:CreditNoteTypeCode>381</);
  t.strictSame(textsAt(xml, 'BillingReference/InvoiceDocumentReference/ID'), ['INV-17']);
  t.strictSame(textsAt(xml, 'Note'), ['Broken']);
  t.strictSame(brokenRules(xml), []);
  const addition = ubl(document({ addsTo: preceding, lines: content.lines.slice(1) }));
  t.strictSame(textsAt(addition, 'BillingReference/InvoiceDocumentReference/ID'), ['INV-17']);
  t.strictSame(textsAt(addition, 'InvoiceLine/Item/Name'), ['Standard'], 'without goods, a fee is a line');
  t.strictSame(textsAt(addition, 'AllowanceCharge/Amount'), []);
  t.strictSame(brokenRules(addition), []);
});

t.test('credits are prepaid, cash is rounded', async (t) => {
  const lines = content.lines.map((line, index) => (index === 0 ? { ...line, credit: -500, rounding: -2 } : line));
  const xml = ubl(document({ lines, rounding: -2 }));
  const sums = ['TaxInclusiveAmount', 'PrepaidAmount', 'PayableRoundingAmount', 'PayableAmount'];
  t.strictSame(
    sums.map((name) => textsAt(xml, `LegalMonetaryTotal/${name}`)[0]),
    ['36.25', '5.00', '-0.02', '31.23'],
  );
});

t.test('a price that has no exact amount is that of all units', async (t) => {
  const within: TaxGroup = [{ code: 'vat', label: 'VAT', rate: 19, included: true }];
  const [goods] = content.lines as [InvoiceContent['lines'][number]];
  // Three for 29.99 with 19 % within, less 1.00 of it.
  const line = { ...goods, discount: -100, parts: [{ group: 0, net: 2436, taxes: [463] }] };
  const xml = ubl(document({ taxGroups: [within], lines: [line] }));
  t.strictSame(textsAt(xml, 'InvoiceLine/AllowanceCharge/Amount'), ['0.84']);
  t.strictSame(textsAt(xml, 'InvoiceLine/Price/PriceAmount'), ['8.40']);
  const other = ubl(document({ taxGroups: [within], lines: [{ ...line, discount: 0 }] }));
  t.strictSame(textsAt(other, 'InvoiceLine/Price/PriceAmount'), ['8.12']);
  const odd = ubl(
    document({
      taxGroups: [within],
      lines: [{ ...line, discount: 0, parts: [{ group: 0, net: 2437, taxes: [463] }] }],
    }),
  );
  t.strictSame(textsAt(odd, 'InvoiceLine/Price/PriceAmount'), ['24.37']);
  t.strictSame(textsAt(odd, 'InvoiceLine/Price/BaseQuantity'), ['3']);
  t.strictSame([xml, other, odd].flatMap(brokenRules), []);
});

t.test('groups that differ in name only are one', async (t) => {
  const [group] = content.taxGroups as [TaxGroup];
  const other = group.map((tax) => ({ ...tax, code: 'reduced', label: 'USt' }));
  const lines = content.lines.map((line, index) => ({
    ...line,
    parts: line.parts.map((part) => ({ ...part, group: index })),
  }));
  const xml = ubl(document({ taxGroups: [group, other], lines }));
  t.strictSame(textsAt(xml, 'TaxTotal/TaxSubtotal/TaxableAmount'), ['30.46']);
  t.strictSame(brokenRules(xml), []);
});

t.test('the category of each tax, and of what has none', async (t) => {
  const zero: TaxGroup = [{ code: 'vat', label: 'VAT', rate: 0, included: false }];
  const buyer = { ...content.buyer, vatNumber: 'DE 123 456 789' };
  const there = { seller: 'FR', buyer: 'DE', delivery: 'DE' };
  const unregistered = { ...content.seller, vatNumber: null };
  const cases: [string, Partial<InvoiceContent>, string[]][] = [
    ['taxed', taxedBy(content.taxGroups[0] as TaxGroup, [551]), ['S', '19']],
    ['at zero', taxedBy(zero, [0]), ['Z', '0']],
    [
      'within the EU',
      taxedBy([], [], { buyer, countries: there, taxExemption: 'intra_community', suppliedOn: '2026-11-22' }),
      ['K', '0', 'VATEX-EU-IC', 'Intra-Community supply'],
    ],
    [
      'reverse charge',
      taxedBy(zero, [0], { buyer, taxExemption: 'reverse_charge' }),
      ['AE', '0', 'VATEX-EU-AE', 'Reverse charge'],
    ],
    ['exempt', taxedBy([], [], { taxExemption: 'exempt_member' }), ['E', '0', 'The buyer is exempt from VAT']],
    [
      'export',
      taxedBy([], [], { countries: { ...there, delivery: 'US' }, delivery: ['New York'] }),
      ['G', '0', 'VATEX-EU-G', 'Export outside the EU'],
    ],
    ['not subject', taxedBy([], [], { seller: unregistered, buyer }), ['O', 'VATEX-EU-O', 'Not subject to VAT']],
  ];
  for (const [what, over, expected] of cases) {
    const xml = ubl(document(over));
    const category = at(parseXml(xml)[1], 'TaxTotal/TaxSubtotal/TaxCategory')[0];
    t.strictSame(
      category?.children.slice(0, -1).map(([, { text }]) => text),
      expected,
      what,
    );
    t.strictSame(brokenRules(xml), [], what);
  }
});

t.test('what goes to a place outside the territory of VAT is an export, wherever its member state is', async (t) => {
  const to = (country: string, ...delivery: string[]) =>
    taxedBy([], [], { countries: { seller: 'FR', buyer: 'FR', delivery: country }, delivery });
  const exports: [country: string, ...lines: string[]][] = [
    ['ES', 'Ada', 'Calle Mayor 1', '35001 Las Palmas', 'SPAIN'],
    ['FI', 'Ada', 'Torggatan 1', 'FI-22100 MARIEHAMN'],
    ['GR', 'Ada', '630 86 Karyes'],
    ['IT', 'Ada', 'Via 10115', '23041 Livigno SO'],
    ['GB', 'Ada', 'London', 'SW1A 1AA'],
    ['IM', 'Ada', 'Douglas', 'IM1 1AA'],
  ];
  for (const [country, ...lines] of exports) {
    const xml = ubl(document(to(country, ...lines)));
    t.strictSame(textsAt(xml, 'TaxTotal/TaxSubtotal/TaxCategory/ID'), ['G'], lines.join(', '));
    t.strictSame(brokenRules(xml), []);
  }
  const others: [country: string, detail: RegExp, ...lines: string[]][] = [
    ['ES', /no reason/, 'Ada', 'Apartado 35001', '28080 Madrid'],
    ['MC', /no reason/, 'Ada', '98000 Monaco'],
    ['GB', /Northern Ireland .* GB .* BT\*/, 'Ada', 'Belfast', 'BT9 5AB'],
  ];
  for (const [country, detail, ...lines] of others) {
    t.match(refusalOf(to(country, ...lines)), detail, lines.join(', '));
  }
});

t.test(
  'services outside the European Union are not subject to VAT, and the page and the PDF say the same',
  async (t) => {
    const countries = { seller: 'FR', buyer: 'CH', delivery: 'CH' };
    const [goods, shipping] = content.lines as [ContentLine, ContentLine];
    const untaxed = (line: ContentLine, service: boolean): ContentLine => ({
      ...line,
      service,
      parts: line.parts.map(({ net }) => ({ group: 0, net, taxes: [] })),
    });
    const to = (lines: ContentLine[], over: Partial<InvoiceContent> = {}): Partial<InvoiceContent> => ({
      ...{ countries, leavesUnion: true, taxGroups: [[]], lines },
      ...over,
    });
    const [exported, outside] = [
      'Export exempt from VAT (Article 146 of Directive 2006/112/EC)',
      'Not subject to VAT: supplied outside the European Union',
    ];
    const cases: [Partial<InvoiceContent>, category: string, ...notes: string[]][] = [
      [to([untaxed(goods, false), untaxed(shipping, false)]), 'G', exported],
      [to([untaxed(goods, true)]), 'O', outside],
      [to([untaxed(goods, true)], { leavesUnion: false, countries: { ...countries, delivery: 'FR' } }), ''],
      [to([untaxed(goods, false), untaxed(goods, true)]), '', exported, outside],
      [to([untaxed(goods, true)], { taxExemption: 'exempt_member' }), 'E', 'Exempt from tax'],
    ];
    for (const [over, category, ...notes] of cases) {
      const issued = document({ ...over, seller: { ...content.seller, note: null } });
      t.strictSame(sheetOf(issued).notes, notes);
      const page = String(renderInvoices([issued]).text);
      t.strictSame(
        [...page.matchAll(/<section class="note"><p>(.*?)<\/p>/g)].map(([, note]) => note),
        notes,
      );
      if (category === '') {
        t.match(refusalOf(over), notes.length > 0 ? /no form for both/ : /no reason/);
        continue;
      }
      const xml = ubl(document(over));
      t.strictSame(textsAt(xml, 'TaxTotal/TaxSubtotal/TaxCategory/ID'), [category]);
      t.strictSame(brokenRules(xml), []);
      const numbers = textsAt(xml, 'AccountingSupplierParty/Party/PartyTaxScheme/CompanyID');
      t.strictSame(numbers, category === 'O' ? [] : ['FR40303265045']);
    }
    t.match(
      refusalOf(to([untaxed(goods, true)], { seller: { ...content.seller, registrationNumber: null } })),
      /set registrationNumber/,
    );
    const vat = content.taxGroups[0] as TaxGroup;
    const some = [goods, { ...untaxed(shipping, true), parts: [{ group: 1, net: 146, taxes: [] }] }];
    t.match(refusalOf(to(some, { taxGroups: [vat, []] })), /no form for both/);
  },
);

t.test('what the standard has no form for is refused, and the detail says what is missing', async (t) => {
  const vat = (content.taxGroups[0] as TaxGroup)[0] as TaxGroup[number];
  const buyer = { ...content.buyer, vatNumber: 'DE123456789' };
  const nowhere = { seller: null, buyer: null, delivery: null };
  const refused: [object, RegExp, string?][] = [
    [
      taxedBy(
        [
          { ...vat, label: 'GST' },
          { ...vat, label: 'QST' },
        ],
        [145, 289],
      ),
      /GST and QST/,
    ],
    [taxedBy([{ ...vat, rate: null }], [551]), /VAT has no single rate/],
    [taxedBy([vat], [751]), /19 % is further from its rate/],
    [taxedBy([], []), /no reason/],
    [{ seller: { ...content.seller, vatNumber: null } }, /seller has no VAT number/],
    [{ seller: { ...content.seller, vatNumber: '40303265045' } }, /seller has no VAT number/],
    [
      taxedBy([], [], { seller: { ...content.seller, vatNumber: null, registrationNumber: null } }),
      /seller has no number/,
    ],
    [{ seller: { ...content.seller, vatNumber: null }, countries: nowhere }, /country of the seller/],
    [{ buyer: { ...content.buyer, address: ['1 Way'] }, countries: nowhere }, /country of the buyer/],
    [taxedBy([], [], { taxExemption: 'reverse_charge' }), /buyer has no VAT number/],
    [taxedBy([], [], { taxExemption: 'intra_community', buyer }), /day of supply/],
    [{}, /at most two decimals/, 'KWD'],
  ];
  for (const [over, expected, currency] of refused) t.match(refusalOf(over, currency), expected);
});

t.test('documents of earlier releases have the countries of their addresses and numbers', async (t) => {
  const { countries: _, ...earlier } = content;
  const xml = ubl({ ...document(), content: { ...earlier, delivery: ['2 Other Way', 'Deutschland'] } });
  const country = 'Country/IdentificationCode';
  t.strictSame(textsAt(xml, `AccountingSupplierParty/Party/PostalAddress/${country}`), ['FR']);
  t.strictSame(textsAt(xml, `AccountingCustomerParty/Party/PostalAddress/${country}`), ['FR']);
  t.strictSame(textsAt(xml, `Delivery/DeliveryLocation/Address/${country}`), ['DE']);
  t.strictSame(textsAt(xml, 'AccountingCustomerParty/Party/PostalAddress/StreetName'), ['1 Way']);
});

t.test('texts stay texts', async (t) => {
  const hostile = ']]><!DOCTYPE x [<!ENTITY e "e">]><cbc:ID>&e;</cbc:ID>"\'\u0000\u0008\u001b\u202e00.1\u2066\ud800';
  const shown = ']]><!DOCTYPE x [<!ENTITY e "e">]><cbc:ID>&e;</cbc:ID>"\'00.1\ufffd';
  const long = 'x'.repeat(10_000);
  const lines = content.lines.map((line, index) => ({
    ...line,
    title: index === 0 ? hostile + long : '\u202e',
    sku: hostile,
  }));
  const xml = ubl(
    document({
      seller: {
        ...content.seller,
        legalName: hostile,
        address: [hostile, '', hostile],
        registrationNumber: hostile,
        note: hostile,
      },
      buyer: { name: hostile, email: hostile, address: [hostile], vatNumber: hostile },
      note: hostile,
      orderNumber: hostile,
      lines,
    }),
  );
  t.strictSame(textsAt(xml, 'InvoiceLine/Item/Name'), [shown + long]);
  t.strictSame(
    textsAt(xml, 'AllowanceCharge/AllowanceChargeReason'),
    ['standard'],
    'a text that shows nothing is none',
  );
  t.strictSame(textsAt(xml, 'AccountingCustomerParty/Party/PartyLegalEntity/RegistrationName'), [shown]);
  t.notMatch(xml, /<!|[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/u);
  t.strictSame(brokenRules(xml), []);
});

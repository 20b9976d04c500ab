/**
 * Electronic invoices inside of PDFs: the data in CII say the same as those in UBL, and are in the file, which says so.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bodyOf, missingPrograms } from '@carton/runtime/testing';
import t from 'tap';
import { ciiOf } from '../electronic/cii.ts';
import { electronicOf, type Issued } from '../electronic/model.ts';
import { ublOf } from '../electronic/ubl.ts';
import { sheetOf } from '../pdf/sheet.ts';
import draw from '../pdf/task.ts';
import { document } from './documents.ts';
import { at, parseXml } from './en16931.ts';
import { draftOf, issue, openBox, place, placeTaxed } from './helpers.ts';

const content = document().content;
const preceding = { number: 'INV-16', issuedOn: '2026-11-01' };
const [goods, shipping] = content.lines as [(typeof content.lines)[number], (typeof content.lines)[number]];

const documents: Record<string, Issued> = {
  invoice: document({ suppliedOn: '2026-11-30', note: '<Thank> you & \u202eyours' }),
  'credit note': { ...document({ corrects: preceding, reason: 'Broken' }), kind: 'credit_note' },
  sums: document({
    lines: [
      { ...goods, credit: -500, discount: 0, parts: [{ group: 0, net: 2437, taxes: [463] }] },
      { ...shipping, parts: [{ group: 0, net: -100, taxes: [-19] }] },
      { ...shipping, parts: [{ group: 0, net: 146, taxes: [28] }] },
    ],
    ...{ rounding: -2 },
  }),
  company: document({
    buyer: {
      ...content.buyer,
      company: 'Analytical Engines Ltd',
      parts: { lines: ['1 Way', 'Court', 'Flat 3'], city: 'Lyon', postalCode: '69001', province: 'ARA' },
    },
  }),
  export: document({
    taxGroups: [[]],
    lines: [{ ...goods, parts: [{ group: 0, net: 2900, taxes: [] }] }],
    countries: { seller: 'FR', buyer: 'US', delivery: 'US' },
  }),
};

/** What is compared: the path in UBL, and in CII below the transaction. */
const settlement = 'ApplicableHeaderTradeSettlement';
const sums = `${settlement}/SpecifiedTradeSettlementHeaderMonetarySummation`;
const line = 'IncludedSupplyChainTradeLineItem';
const pairs: [ubl: string, cii: string][] = [
  ['LegalMonetaryTotal/LineExtensionAmount', `${sums}/LineTotalAmount`],
  ['LegalMonetaryTotal/TaxExclusiveAmount', `${sums}/TaxBasisTotalAmount`],
  ['LegalMonetaryTotal/TaxInclusiveAmount', `${sums}/GrandTotalAmount`],
  ['LegalMonetaryTotal/AllowanceTotalAmount', `${sums}/AllowanceTotalAmount`],
  ['LegalMonetaryTotal/ChargeTotalAmount', `${sums}/ChargeTotalAmount`],
  ['LegalMonetaryTotal/PrepaidAmount', `${sums}/TotalPrepaidAmount`],
  ['LegalMonetaryTotal/PayableRoundingAmount', `${sums}/RoundingAmount`],
  ['LegalMonetaryTotal/PayableAmount', `${sums}/DuePayableAmount`],
  ['TaxTotal/TaxAmount', `${sums}/TaxTotalAmount`],
  ['TaxTotal/TaxSubtotal/TaxableAmount', `${settlement}/ApplicableTradeTax/BasisAmount`],
  ['TaxTotal/TaxSubtotal/TaxAmount', `${settlement}/ApplicableTradeTax/CalculatedAmount`],
  ['TaxTotal/TaxSubtotal/TaxCategory/ID', `${settlement}/ApplicableTradeTax/CategoryCode`],
  ['TaxTotal/TaxSubtotal/TaxCategory/Percent', `${settlement}/ApplicableTradeTax/RateApplicablePercent`],
  ['TaxTotal/TaxSubtotal/TaxCategory/TaxExemptionReasonCode', `${settlement}/ApplicableTradeTax/ExemptionReasonCode`],
  ['AllowanceCharge/Amount', `${settlement}/SpecifiedTradeAllowanceCharge/ActualAmount`],
  ['AllowanceCharge/ChargeIndicator', `${settlement}/SpecifiedTradeAllowanceCharge/ChargeIndicator/Indicator`],
  ['BillingReference/InvoiceDocumentReference/ID', `${settlement}/InvoiceReferencedDocument/IssuerAssignedID`],
  ['PaymentTerms/Note', `${settlement}/SpecifiedTradePaymentTerms/Description`],
  [
    'InvoiceLine/LineExtensionAmount',
    `${line}/SpecifiedLineTradeSettlement/SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount`,
  ],
  ['InvoiceLine/Price/PriceAmount', `${line}/SpecifiedLineTradeAgreement/NetPriceProductTradePrice/ChargeAmount`],
  ['InvoiceLine/Price/BaseQuantity', `${line}/SpecifiedLineTradeAgreement/NetPriceProductTradePrice/BasisQuantity`],
  ['InvoiceLine/InvoicedQuantity', `${line}/SpecifiedLineTradeDelivery/BilledQuantity`],
  [
    'InvoiceLine/AllowanceCharge/Amount',
    `${line}/SpecifiedLineTradeSettlement/SpecifiedTradeAllowanceCharge/ActualAmount`,
  ],
  ['InvoiceLine/Item/Name', `${line}/SpecifiedTradeProduct/Name`],
  [
    'AccountingSupplierParty/Party/PartyTaxScheme/CompanyID',
    'ApplicableHeaderTradeAgreement/SellerTradeParty/SpecifiedTaxRegistration/ID',
  ],
  [
    'AccountingCustomerParty/Party/PartyLegalEntity/RegistrationName',
    'ApplicableHeaderTradeAgreement/BuyerTradeParty/Name',
  ],
  [
    'AccountingCustomerParty/Party/Contact/Name',
    'ApplicableHeaderTradeAgreement/BuyerTradeParty/DefinedTradeContact/PersonName',
  ],
  ...[
    ['StreetName', 'LineOne'],
    ['AdditionalStreetName', 'LineTwo'],
    ['AddressLine/Line', 'LineThree'],
    ['CityName', 'CityName'],
    ['PostalZone', 'PostcodeCode'],
    ['CountrySubentity', 'CountrySubDivisionName'],
  ].map(([inUbl, inCii]): [string, string] => [
    `AccountingCustomerParty/Party/PostalAddress/${inUbl}`,
    `ApplicableHeaderTradeAgreement/BuyerTradeParty/PostalTradeAddress/${inCii}`,
  ]),
  [
    'AccountingCustomerParty/Party/PostalAddress/Country/IdentificationCode',
    'ApplicableHeaderTradeAgreement/BuyerTradeParty/PostalTradeAddress/CountryID',
  ],
];

for (const [what, issued] of Object.entries(documents)) {
  t.test(`CII says the same as UBL: ${what}`, async (t) => {
    const model = electronicOf(issued);
    const [, ubl] = parseXml(ublOf(model));
    const [, cii] = parseXml(ciiOf(model));
    const texts = (root: typeof ubl, path: string) => at(root, path).map(({ text }) => text);
    for (const [inUbl, inCii] of pairs) {
      const path =
        issued.kind === 'invoice'
          ? inUbl
          : inUbl.replace('InvoiceLine', 'CreditNoteLine').replace('Invoiced', 'Credited');
      t.strictSame(texts(cii, `SupplyChainTradeTransaction/${inCii}`), texts(ubl, path), inUbl);
    }
    t.strictSame(texts(cii, 'ExchangedDocument/TypeCode'), [issued.kind === 'invoice' ? '380' : '381']);
    t.strictSame(texts(cii, 'ExchangedDocument/IssueDateTime/DateTimeString'), ['20261122']);
    t.strictSame(texts(cii, 'ExchangedDocument/IncludedNote/Content'), texts(ubl, 'Note'));
  });
}

const lacks = missingPrograms('pdfdetach', 'qpdf');

t.test('the data are a file of the PDF, which says so', { skip: lacks }, async (t) => {
  const issued = documents.invoice as Issued;
  const electronic = ciiOf(electronicOf(issued));
  const drawing = { sheets: [sheetOf(issued)], title: 'Invoice INV-17', author: 'Demo Store SAS', electronic };
  const bytes = await draw(drawing);
  t.equal(Buffer.compare(bytes, await draw(drawing)), 0, 'the same bytes');
  const folder = t.testdir();
  const [path, out] = [join(folder, 'invoice.pdf'), join(folder, 'out.xml')];
  writeFileSync(path, bytes);
  spawnSync('pdfdetach', ['-savefile', 'factur-x.xml', '-o', out, path]);
  t.equal(readFileSync(out, 'utf8'), electronic);
  t.match(spawnSync('qpdf', ['--check', path], { encoding: 'utf8' }).stdout, /No syntax or stream encoding errors/);
  const text = Buffer.from(bytes).toString('latin1');
  for (const part of [
    '<pdfaid:part>3<',
    '<pdfaid:conformance>B<',
    '<fx:ConformanceLevel>EN 16931<',
    '<fx:DocumentFileName>factur-x.xml<',
    '/AFRelationship /Alternative',
    '/Subtype /text#2Fxml',
    '/GTS_PDFA1',
  ]) {
    t.ok(text.includes(part), part);
  }
});

t.test('staff download it; what the standard has no form for is 409', async (t) => {
  const box = await openBox(t);
  const { id } = await bodyOf(issue(box, (await placeTaxed(box)).id));
  const file = await box.staff.get(`/admin/invoices/${id}/files/factur-x`);
  t.equal(file.headers.get('content-type'), 'application/pdf');
  t.equal(file.headers.get('content-disposition'), 'attachment; filename="INV-1-factur-x.pdf"');
  const untaxed = await bodyOf(issue(box, (await place(box, draftOf(1000))).id));
  t.match(await box.staff.get(`/admin/invoices/${untaxed.id}/files/factur-x`), {
    status: 409,
    body: { code: 'electronic_invoice_not_possible' },
  });
});

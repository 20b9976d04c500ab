/**
 * The rules of EN 16931 that bind a document in UBL, by their names in the standard: those that it be complete, its sums,
 * and those of the categories of VAT. Written from the standard, apart from what is tested.
 */
import { XMLParser } from 'fast-xml-parser';

/** An element: its text, its attributes and its children by their names. */
export interface Element {
  text: string;
  attributes: Record<string, string>;
  children: [name: string, element: Element][];
}

/** Parses a document; the prefixes of names are kept. */
export function parseXml(xml: string): [name: string, root: Element] {
  const parser = new XMLParser({
    ...{ preserveOrder: true, ignoreAttributes: false, attributeNamePrefix: '', parseTagValue: false },
    ...{ trimValues: false, ignoreDeclaration: true, processEntities: true },
  });
  const elementOf = (content: Record<string, unknown>[], attributes: unknown): Element => ({
    text: content.map((each) => (typeof each['#text'] === 'string' ? each['#text'] : '')).join(''),
    attributes: (attributes ?? {}) as Record<string, string>,
    children: content.flatMap((each) => {
      const name = Object.keys(each).find((key) => key !== ':@' && key !== '#text');
      return name === undefined ? [] : [[name, elementOf(each[name] as never, each[':@'])] as [string, Element]];
    }),
  });
  const { children } = elementOf(parser.parse(xml), {});
  if (children.length !== 1) throw new Error('there is not one root');
  return children[0] as [string, Element];
}

/** The elements at a path of names without prefixes. */
export function at(element: Element, path: string): Element[] {
  return path
    .split('/')
    .reduce<Element[]>(
      (found, step) =>
        found.flatMap(({ children }) =>
          children.flatMap(([name, child]) => (name.split(':').at(-1) === step ? [child] : [])),
        ),
      [element],
    );
}

const textAt = (element: Element, path: string): string => at(element, path)[0]?.text ?? '';

/** A decimal number in hundredths. */
export function hundredths(text: string): number {
  const [, sign, whole, part = ''] = /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(text) ?? [];
  if (whole === undefined) throw new Error(`BR-DEC: ${text} has not two decimals`);
  return Number(`${sign}${whole}${part.padEnd(2, '0')}`);
}

const sumOf = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0);
const inUnion = 'AT BE BG CY CZ DE DK EE EL ES FI FR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' ');

/** The rules that a document breaks. */
export function brokenRules(xml: string): string[] {
  const [name, root] = parseXml(xml);
  const broken: string[] = [];
  const hold = (rule: string, holds: boolean) => holds || broken.push(rule);
  const isInvoice = name === 'Invoice';
  const amount = (element: Element, path: string): number => {
    const [found] = at(element, path);
    if (found && path !== 'TaxTotal/TaxAmount')
      hold('BR-CL-03', found.attributes.currencyID === textAt(root, 'DocumentCurrencyCode'));
    return found ? hundredths(found.text) : 0;
  };
  const has = (rule: string, element: Element, path: string) => hold(rule, textAt(element, path).trim() !== '');
  has('BR-01', root, 'CustomizationID');
  has('BR-02', root, 'ID');
  hold('BR-03', /^\d{4}-\d\d-\d\d$/.test(textAt(root, 'IssueDate')));
  hold('BR-04', textAt(root, isInvoice ? 'InvoiceTypeCode' : 'CreditNoteTypeCode') === (isInvoice ? '380' : '381'));
  has('BR-05', root, 'DocumentCurrencyCode');
  const [seller, buyer] = ['Supplier', 'Customer'].map(
    (role) => at(root, `Accounting${role}Party/Party`)[0] as Element,
  );
  has('BR-06', seller as Element, 'PartyLegalEntity/RegistrationName');
  has('BR-07', buyer as Element, 'PartyLegalEntity/RegistrationName');
  has('BR-09', seller as Element, 'PostalAddress/Country/IdentificationCode');
  has('BR-11', buyer as Element, 'PostalAddress/Country/IdentificationCode');
  const vatNumber = (party: Element) => textAt(party, 'PartyTaxScheme/CompanyID');
  for (const each of [seller, buyer].map((party) => vatNumber(party as Element))) {
    hold('BR-CO-09', each === '' || /^[A-Z]{2}\w+$/.test(each));
  }
  hold(
    'BR-CO-26',
    vatNumber(seller as Element) !== '' || textAt(seller as Element, 'PartyLegalEntity/CompanyID') !== '',
  );
  for (const each of at(root, 'BillingReference/InvoiceDocumentReference')) has('BR-55', each, 'ID');
  for (const each of at(root, 'Delivery/DeliveryLocation/Address')) has('BR-57', each, 'Country/IdentificationCode');

  const [total] = at(root, 'LegalMonetaryTotal') as [Element];
  const lines = at(root, isInvoice ? 'InvoiceLine' : 'CreditNoteLine');
  hold('BR-16', lines.length > 0);
  hold('BR-21', new Set(lines.map((line) => textAt(line, 'ID'))).size === lines.length);
  for (const line of lines) {
    const quantity = at(line, isInvoice ? 'InvoicedQuantity' : 'CreditedQuantity')[0] as Element;
    hold('BR-22', quantity.text !== '');
    hold('BR-23', quantity.attributes.unitCode === 'C62');
    has('BR-24', line, 'LineExtensionAmount');
    has('BR-25', line, 'Item/Name');
    const price = amount(line, 'Price/PriceAmount');
    hold('BR-27', price >= 0);
    const perUnits = Number(textAt(line, 'Price/BaseQuantity') || 1);
    const allowances = amount(line, 'AllowanceCharge/Amount');
    hold('R120', Number(quantity.text) * price === (amount(line, 'LineExtensionAmount') + allowances) * perUnits);
    hold('BR-CO-04', at(line, 'Item/ClassifiedTaxCategory').length === 1);
  }
  const charges = at(root, 'AllowanceCharge');
  const signed = (charge: Element) =>
    (textAt(charge, 'ChargeIndicator') === 'true' ? 1 : -1) * amount(charge, 'Amount');
  for (const charge of charges) {
    hold('BR-31', amount(charge, 'Amount') > 0);
    has('BR-33', charge, 'AllowanceChargeReason');
    hold('BR-32', at(charge, 'TaxCategory').length === 1);
  }
  const net = sumOf(lines.map((line) => amount(line, 'LineExtensionAmount')));
  const added = charges.map(signed);
  hold('BR-CO-10', amount(total, 'LineExtensionAmount') === net);
  hold('BR-CO-11', amount(total, 'AllowanceTotalAmount') === -sumOf(added.filter((each) => each < 0)) + 0);
  hold('BR-CO-12', amount(total, 'ChargeTotalAmount') === sumOf(added.filter((each) => each > 0)));
  hold('BR-CO-13', amount(total, 'TaxExclusiveAmount') === net + sumOf(added));
  const subtotals = at(root, 'TaxTotal/TaxSubtotal');
  const tax = amount(root, 'TaxTotal/TaxAmount');
  hold('BR-CO-14', tax === sumOf(subtotals.map((each) => amount(each, 'TaxAmount'))));
  hold('BR-CO-15', amount(total, 'TaxInclusiveAmount') === amount(total, 'TaxExclusiveAmount') + tax);
  const payable = amount(total, 'PayableAmount');
  const rounding = amount(total, 'PayableRoundingAmount');
  hold('BR-CO-16', payable === amount(total, 'TaxInclusiveAmount') - amount(total, 'PrepaidAmount') + rounding);
  hold('BR-CO-18', subtotals.length > 0);
  hold('BR-CO-25', payable <= 0 || textAt(root, 'PaymentTerms/Note') !== '');

  const keyOf = (category: Element) => `${textAt(category, 'ID')} ${textAt(category, 'Percent')}`;
  const taxed = [
    ...lines.map(
      (line) =>
        [keyOf(at(line, 'Item/ClassifiedTaxCategory')[0] as Element), amount(line, 'LineExtensionAmount')] as const,
    ),
    ...charges.map((charge) => [keyOf(at(charge, 'TaxCategory')[0] as Element), signed(charge)] as const),
  ];
  const keys = subtotals.map((each) => keyOf(at(each, 'TaxCategory')[0] as Element));
  hold('BR-S-01', new Set(keys).size === keys.length);
  hold(
    'BR-S-01',
    taxed.every(([key]) => keys.includes(key)),
  );
  for (const [position, subtotal] of subtotals.entries()) {
    const [category] = at(subtotal, 'TaxCategory') as [Element];
    const code = textAt(category, 'ID');
    const percent = textAt(category, 'Percent');
    const base = amount(subtotal, 'TaxableAmount');
    const charged = amount(subtotal, 'TaxAmount');
    const reason = textAt(category, 'TaxExemptionReasonCode') || textAt(category, 'TaxExemptionReason');
    hold(`BR-${code}-08`, base === sumOf(taxed.flatMap(([key, each]) => (key === keys[position] ? [each] : []))));
    hold('BR-CO-17', Math.abs(charged - (base * Number(percent)) / 100) <= 101);
    hold('BR-48', (percent === '') === (code === 'O'));
    hold(`BR-${code}-05`, code === 'S' ? Number(percent) > 0 : Number(percent) === 0);
    hold(`BR-${code}-09`, code === 'S' || charged === 0);
    hold(`BR-${code}-10`, (reason !== '') === !['S', 'Z'].includes(code));
    hold(
      `BR-${code}-02`,
      code === 'O'
        ? ![seller, buyer].some((party) => vatNumber(party as Element))
        : vatNumber(seller as Element) !== '',
    );
    if (code === 'O') hold('BR-O-11', subtotals.length === 1);
    if (!['K', 'AE'].includes(code)) continue;
    hold(`BR-${code}-02`, vatNumber(buyer as Element) !== '');
    if (code === 'AE') continue;
    hold('BR-IC-11', textAt(root, 'Delivery/ActualDeliveryDate') !== '');
    hold('BR-IC-12', textAt(root, 'Delivery/DeliveryLocation/Address/Country/IdentificationCode') !== '');
    hold('BR-IC', inUnion.includes(vatNumber(buyer as Element).slice(0, 2)));
  }
  return broken;
}

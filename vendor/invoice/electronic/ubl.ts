/**
 * An invoice or a credit note in UBL 2.1 (ISO/IEC 19845), in the form of EN 16931. The elements are in the order of the
 * schemas.
 */
import type { Category } from './categories.ts';
import type { ElectronicCharge, ElectronicLine } from './lines.ts';
import type { CategorySums, ElectronicInvoice } from './model.ts';
import { decimalIn, rateOf } from './numbers.ts';
import type { Address, Party } from './parties.ts';
import { type Xml, xmlDocument } from './xml.ts';

const schemas = 'urn:oasis:names:specification:ubl:schema:xsd';
const vat: Xml = ['cac:TaxScheme', [['cbc:ID', 'VAT']]];

/** An invoice in UBL, as XML. */
export function ublOf(invoice: ElectronicInvoice): string {
  const { kind, currency, preceding, suppliedOn, delivery, taxes, totals } = invoice;
  const isInvoice = kind === 'invoice';
  const root = isInvoice ? 'Invoice' : 'CreditNote';
  const amount = amountIn(currency);
  return xmlDocument([
    root,
    {
      xmlns: `${schemas}:${root}-2`,
      'xmlns:cac': `${schemas}:CommonAggregateComponents-2`,
      'xmlns:cbc': `${schemas}:CommonBasicComponents-2`,
    },
    [
      ['cbc:CustomizationID', 'urn:cen.eu:en16931:2017'],
      ['cbc:ID', invoice.number],
      ['cbc:IssueDate', invoice.issuedOn],
      isInvoice ? ['cbc:InvoiceTypeCode', '380'] : ['cbc:CreditNoteTypeCode', '381'],
      ...invoice.notes.map((note): Xml => ['cbc:Note', note]),
      ['cbc:DocumentCurrencyCode', currency],
      ['cac:OrderReference', [['cbc:ID', invoice.orderNumber]]],
      preceding && [
        'cac:BillingReference',
        [
          [
            'cac:InvoiceDocumentReference',
            [
              ['cbc:ID', preceding.number],
              ['cbc:IssueDate', preceding.issuedOn],
            ],
          ],
        ],
      ],
      ['cac:AccountingSupplierParty', [partyOf(invoice.seller)]],
      ['cac:AccountingCustomerParty', [partyOf(invoice.buyer)]],
      (suppliedOn !== null || delivery !== null) && [
        'cac:Delivery',
        [
          suppliedOn !== null && ['cbc:ActualDeliveryDate', suppliedOn],
          delivery && ['cac:DeliveryLocation', [addressOf('cac:Address', delivery)]],
        ],
      ],
      invoice.terms !== null && ['cac:PaymentTerms', [['cbc:Note', invoice.terms]]],
      ...invoice.charges.map((charge) => chargeOf(charge, amount)),
      ['cac:TaxTotal', [amount('cbc:TaxAmount', totals.tax), ...taxes.map((tax) => subtotalOf(tax, amount))]],
      [
        'cac:LegalMonetaryTotal',
        [
          amount('cbc:LineExtensionAmount', totals.lines),
          amount('cbc:TaxExclusiveAmount', totals.net),
          amount('cbc:TaxInclusiveAmount', totals.gross),
          totals.allowances !== 0 && amount('cbc:AllowanceTotalAmount', totals.allowances),
          totals.charges !== 0 && amount('cbc:ChargeTotalAmount', totals.charges),
          totals.prepaid !== 0 && amount('cbc:PrepaidAmount', totals.prepaid),
          totals.rounding !== 0 && amount('cbc:PayableRoundingAmount', totals.rounding),
          amount('cbc:PayableAmount', totals.payable),
        ],
      ],
      ...invoice.lines.map((line, at) => lineOf(line, at, invoice, amount)),
    ],
  ]);
}

type AmountOf = (name: string, amount: number) => Xml;

function amountIn(currency: string): AmountOf {
  const decimal = decimalIn(currency);
  return (name, amount) => [name, { currencyID: currency }, decimal(amount)];
}

function partyOf({ name, tradingName, contact, address, vatNumber, registration, email }: Party): Xml {
  return [
    'cac:Party',
    [
      email !== null && ['cbc:EndpointID', { schemeID: 'EM' }, email],
      tradingName !== null && ['cac:PartyName', [['cbc:Name', tradingName]]],
      addressOf('cac:PostalAddress', address),
      vatNumber !== null && ['cac:PartyTaxScheme', [['cbc:CompanyID', vatNumber], vat]],
      [
        'cac:PartyLegalEntity',
        [['cbc:RegistrationName', name], registration !== null && ['cbc:CompanyID', registration]],
      ],
      (contact !== null || email !== null) && [
        'cac:Contact',
        [contact !== null && ['cbc:Name', contact], email !== null && ['cbc:ElectronicMail', email]],
      ],
    ],
  ];
}

function addressOf(name: string, { lines, city, postalCode, province, country }: Address): Xml {
  const [street, additional, further] = lines;
  return [
    name,
    [
      street !== undefined && ['cbc:StreetName', street],
      additional !== undefined && ['cbc:AdditionalStreetName', additional],
      city !== null && ['cbc:CityName', city],
      postalCode !== null && ['cbc:PostalZone', postalCode],
      province !== null && ['cbc:CountrySubentity', province],
      further !== undefined && ['cac:AddressLine', [['cbc:Line', further]]],
      ['cac:Country', [['cbc:IdentificationCode', country]]],
    ],
  ];
}

const categoryOf = (name: string, { code, rate }: Category, ...reasons: Xml[]): Xml => [
  name,
  [['cbc:ID', code], rate !== null && ['cbc:Percent', rateOf(rate)], ...reasons, vat],
];

/** A charge, or an allowance where it is below zero. */
function chargeOf({ reason, net, category }: ElectronicCharge, amount: AmountOf): Xml {
  return [
    'cac:AllowanceCharge',
    [
      ['cbc:ChargeIndicator', String(net > 0)],
      ['cbc:AllowanceChargeReason', reason],
      amount('cbc:Amount', Math.abs(net)),
      categoryOf('cac:TaxCategory', category),
    ],
  ];
}

function subtotalOf({ category, net, tax }: CategorySums, amount: AmountOf): Xml {
  const { reason } = category;
  return [
    'cac:TaxSubtotal',
    [
      amount('cbc:TaxableAmount', net),
      amount('cbc:TaxAmount', tax),
      categoryOf(
        'cac:TaxCategory',
        category,
        reason?.code ? ['cbc:TaxExemptionReasonCode', reason.code] : null,
        reason && ['cbc:TaxExemptionReason', reason.text],
      ),
    ],
  ];
}

function lineOf(
  line: ElectronicLine,
  at: number,
  { kind, discountReason }: Pick<ElectronicInvoice, 'kind' | 'discountReason'>,
  amount: AmountOf,
): Xml {
  const isInvoice = kind === 'invoice';
  const { title, description, sku, quantity, price, perUnits, discount, net, category } = line;
  return [
    isInvoice ? 'cac:InvoiceLine' : 'cac:CreditNoteLine',
    [
      ['cbc:ID', String(at + 1)],
      [isInvoice ? 'cbc:InvoicedQuantity' : 'cbc:CreditedQuantity', { unitCode: 'C62' }, String(quantity)],
      amount('cbc:LineExtensionAmount', net),
      discount !== 0 && [
        'cac:AllowanceCharge',
        [
          ['cbc:ChargeIndicator', 'false'],
          // UNCL 5189: discount
          ['cbc:AllowanceChargeReasonCode', '95'],
          ['cbc:AllowanceChargeReason', discountReason],
          amount('cbc:Amount', discount),
        ],
      ],
      [
        'cac:Item',
        [
          description !== null && ['cbc:Description', description],
          ['cbc:Name', title],
          sku !== null && ['cac:SellersItemIdentification', [['cbc:ID', sku]]],
          categoryOf('cac:ClassifiedTaxCategory', category),
        ],
      ],
      [
        'cac:Price',
        [
          amount('cbc:PriceAmount', price),
          perUnits !== 1 && ['cbc:BaseQuantity', { unitCode: 'C62' }, String(perUnits)],
        ],
      ],
    ],
  ];
}

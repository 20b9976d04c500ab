/**
 * An invoice or a credit note in UN/CEFACT CII (D16B), in the form of EN 16931: the data inside of Factur-X and ZUGFeRD.
 * The elements are in the order of the schemas.
 */
import type { Category } from './categories.ts';
import type { ElectronicCharge, ElectronicLine } from './lines.ts';
import type { CategorySums, ElectronicInvoice } from './model.ts';
import { decimalIn, rateOf } from './numbers.ts';
import type { Address, Party } from './parties.ts';
import { type Xml, xmlDocument } from './xml.ts';

const schemas = 'urn:un:unece:uncefact:data:standard';

type Decimal = (amount: number) => string;

/** An invoice in CII, as XML. */
export function ciiOf(invoice: ElectronicInvoice): string {
  const { kind, number, issuedOn, currency, lines, notes } = invoice;
  const decimal = decimalIn(currency);
  return xmlDocument([
    'rsm:CrossIndustryInvoice',
    {
      'xmlns:rsm': `${schemas}:CrossIndustryInvoice:100`,
      'xmlns:ram': `${schemas}:ReusableAggregateBusinessInformationEntity:100`,
      'xmlns:qdt': `${schemas}:QualifiedDataType:100`,
      'xmlns:udt': `${schemas}:UnqualifiedDataType:100`,
    },
    [
      [
        'rsm:ExchangedDocumentContext',
        [['ram:GuidelineSpecifiedDocumentContextParameter', [['ram:ID', 'urn:cen.eu:en16931:2017']]]],
      ],
      [
        'rsm:ExchangedDocument',
        [
          ['ram:ID', number],
          ['ram:TypeCode', kind === 'invoice' ? '380' : '381'],
          dateOf('ram:IssueDateTime', 'udt', issuedOn),
          ...notes.map((note): Xml => ['ram:IncludedNote', [['ram:Content', note]]]),
        ],
      ],
      [
        'rsm:SupplyChainTradeTransaction',
        [
          ...lines.map((line, at) => lineOf(line, at, invoice, decimal)),
          agreementOf(invoice),
          deliveryOf(invoice),
          settlementOf(invoice, decimal),
        ],
      ],
    ],
  ]);
}

/** A day as `20261122`, which format 102 is. */
const dateOf = (name: string, prefix: 'udt' | 'qdt', day: string): Xml => [
  name,
  [[`${prefix}:DateTimeString`, { format: '102' }, day.replaceAll('-', '')]],
];

function agreementOf({ seller, buyer, orderNumber }: ElectronicInvoice): Xml {
  return [
    'ram:ApplicableHeaderTradeAgreement',
    [
      partyOf('ram:SellerTradeParty', seller),
      partyOf('ram:BuyerTradeParty', buyer),
      ['ram:BuyerOrderReferencedDocument', [['ram:IssuerAssignedID', orderNumber]]],
    ],
  ];
}

function partyOf(element: string, party: Party): Xml {
  const { name, tradingName, contact, address, vatNumber, registration, email } = party;
  const organization: Xml[] = [
    registration !== null && ['ram:ID', registration],
    tradingName !== null && ['ram:TradingBusinessName', tradingName],
  ];
  return [
    element,
    [
      ['ram:Name', name],
      organization.some(Boolean) && ['ram:SpecifiedLegalOrganization', organization],
      (contact !== null || email !== null) && [
        'ram:DefinedTradeContact',
        [
          contact !== null && ['ram:PersonName', contact],
          email !== null && ['ram:EmailURIUniversalCommunication', [['ram:URIID', email]]],
        ],
      ],
      addressOf(address),
      email !== null && ['ram:URIUniversalCommunication', [['ram:URIID', { schemeID: 'EM' }, email]]],
      vatNumber !== null && ['ram:SpecifiedTaxRegistration', [['ram:ID', { schemeID: 'VA' }, vatNumber]]],
    ],
  ];
}

function addressOf({ lines, city, postalCode, province, country }: Address): Xml {
  const names = ['ram:LineOne', 'ram:LineTwo', 'ram:LineThree'];
  return [
    'ram:PostalTradeAddress',
    [
      postalCode !== null && ['ram:PostcodeCode', postalCode],
      ...lines.map((line, at): Xml => [names[at] as string, line]),
      city !== null && ['ram:CityName', city],
      ['ram:CountryID', country],
      province !== null && ['ram:CountrySubDivisionName', province],
    ],
  ];
}

function deliveryOf({ delivery, suppliedOn }: ElectronicInvoice): Xml {
  return [
    'ram:ApplicableHeaderTradeDelivery',
    [
      delivery && ['ram:ShipToTradeParty', [addressOf(delivery)]],
      suppliedOn !== null && [
        'ram:ActualDeliverySupplyChainEvent',
        [dateOf('ram:OccurrenceDateTime', 'udt', suppliedOn)],
      ],
    ],
  ];
}

function settlementOf(invoice: ElectronicInvoice, decimal: Decimal): Xml {
  const { currency, taxes, charges, terms, totals, preceding } = invoice;
  return [
    'ram:ApplicableHeaderTradeSettlement',
    [
      ['ram:InvoiceCurrencyCode', currency],
      ...taxes.map((tax) => taxOf(tax, decimal)),
      ...charges.map((charge) => chargeOf(charge, decimal)),
      terms !== null && ['ram:SpecifiedTradePaymentTerms', [['ram:Description', terms]]],
      [
        'ram:SpecifiedTradeSettlementHeaderMonetarySummation',
        [
          ['ram:LineTotalAmount', decimal(totals.lines)],
          totals.charges !== 0 && ['ram:ChargeTotalAmount', decimal(totals.charges)],
          totals.allowances !== 0 && ['ram:AllowanceTotalAmount', decimal(totals.allowances)],
          ['ram:TaxBasisTotalAmount', decimal(totals.net)],
          ['ram:TaxTotalAmount', { currencyID: currency }, decimal(totals.tax)],
          totals.rounding !== 0 && ['ram:RoundingAmount', decimal(totals.rounding)],
          ['ram:GrandTotalAmount', decimal(totals.gross)],
          totals.prepaid !== 0 && ['ram:TotalPrepaidAmount', decimal(totals.prepaid)],
          ['ram:DuePayableAmount', decimal(totals.payable)],
        ],
      ],
      preceding && [
        'ram:InvoiceReferencedDocument',
        [['ram:IssuerAssignedID', preceding.number], dateOf('ram:FormattedIssueDateTime', 'qdt', preceding.issuedOn)],
      ],
    ],
  ];
}

const rateIn = ({ rate }: Category): Xml => rate !== null && ['ram:RateApplicablePercent', rateOf(rate)];

function taxOf({ category, net, tax }: CategorySums, decimal: Decimal): Xml {
  const { code, reason } = category;
  return [
    'ram:ApplicableTradeTax',
    [
      ['ram:CalculatedAmount', decimal(tax)],
      ['ram:TypeCode', 'VAT'],
      reason && ['ram:ExemptionReason', reason.text],
      ['ram:BasisAmount', decimal(net)],
      ['ram:CategoryCode', code],
      reason?.code ? ['ram:ExemptionReasonCode', reason.code] : null,
      rateIn(category),
    ],
  ];
}

const indicator = (isCharge: boolean): Xml => ['ram:ChargeIndicator', [['udt:Indicator', String(isCharge)]]];

function chargeOf({ reason, net, category }: ElectronicCharge, decimal: Decimal): Xml {
  return [
    'ram:SpecifiedTradeAllowanceCharge',
    [
      indicator(net > 0),
      ['ram:ActualAmount', decimal(Math.abs(net))],
      ['ram:Reason', reason],
      ['ram:CategoryTradeTax', [['ram:TypeCode', 'VAT'], ['ram:CategoryCode', category.code], rateIn(category)]],
    ],
  ];
}

function lineOf(
  line: ElectronicLine,
  at: number,
  { discountReason }: Pick<ElectronicInvoice, 'discountReason'>,
  decimal: Decimal,
): Xml {
  const { title, description, sku, quantity, price, perUnits, discount, net, category } = line;
  return [
    'ram:IncludedSupplyChainTradeLineItem',
    [
      ['ram:AssociatedDocumentLineDocument', [['ram:LineID', String(at + 1)]]],
      [
        'ram:SpecifiedTradeProduct',
        [
          sku !== null && ['ram:SellerAssignedID', sku],
          ['ram:Name', title],
          description !== null && ['ram:Description', description],
        ],
      ],
      [
        'ram:SpecifiedLineTradeAgreement',
        [
          [
            'ram:NetPriceProductTradePrice',
            [
              ['ram:ChargeAmount', decimal(price)],
              perUnits !== 1 && ['ram:BasisQuantity', { unitCode: 'C62' }, String(perUnits)],
            ],
          ],
        ],
      ],
      ['ram:SpecifiedLineTradeDelivery', [['ram:BilledQuantity', { unitCode: 'C62' }, String(quantity)]]],
      [
        'ram:SpecifiedLineTradeSettlement',
        [
          ['ram:ApplicableTradeTax', [['ram:TypeCode', 'VAT'], ['ram:CategoryCode', category.code], rateIn(category)]],
          discount !== 0 && [
            'ram:SpecifiedTradeAllowanceCharge',
            [
              indicator(false),
              ['ram:ActualAmount', decimal(discount)],
              ['ram:ReasonCode', '95'],
              ['ram:Reason', discountReason],
            ],
          ],
          ['ram:SpecifiedTradeSettlementLineMonetarySummation', [['ram:LineTotalAmount', decimal(net)]]],
        ],
      ],
    ],
  ];
}

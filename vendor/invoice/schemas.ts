/**
 * Schemas of invoices and credit notes.
 */
import { OrderResource } from '@carton/order';
import {
  Currency,
  DateTime,
  humanLines,
  humanText,
  integrationPageOf,
  Locale,
  Money,
  nullable,
  object,
  oneOf,
  type Static,
  Type,
  Uuid,
  updatedAfterQuery,
  withOptions,
} from '@carton/runtime';
import { invoiceKinds } from './content.ts';

const InvoiceNumber = Type.String({ minLength: 1, maxLength: 50, examples: ['INV-17'] });
const Kind = oneOf(invoiceKinds, { examples: ['invoice'] });
const Day = Type.String({ format: 'date', description: 'In the time zone of the store', examples: ['2026-11-22'] });
const Lines = Type.Array(Type.String(), { examples: [['12 Rue des Lilas', '69003 Lyon', 'France']] });
const text = (maxLength: number, example: string) => humanText(maxLength, { examples: [example] });

const InvoiceTax = object(
  {
    code: Type.String({ examples: ['vat'] }),
    label: Type.String({ examples: ['VAT'] }),
    rate: nullable(Type.Number({ minimum: 0, description: 'Per cent; null without a single rate', examples: [19] })),
    included: Type.Boolean({ description: 'Whether prices contain the tax' }),
    amount: Money,
  },
  { $id: 'InvoiceTax' },
);

const sums = { net: Money, tax: Money, gross: Money };

const InvoiceTaxGroup = object(
  { taxes: Type.Array(InvoiceTax), ...sums },
  {
    $id: 'InvoiceTaxGroup',
    description:
      'The amounts with the same taxes: one rate, several that apply together, or none. The groups add up to the totals.',
  },
);

const InvoiceLine = object(
  {
    lineItemId: nullable(withOptions(Uuid, { description: 'The item of the order; null for a shipping charge' })),
    shippingCode: nullable(Type.String({ description: 'Code of the shipping charge', examples: ['standard'] })),
    title: Type.String({ examples: ['Linen shirt'] }),
    variantTitle: nullable(Type.String({ examples: ['M'] })),
    sku: nullable(Type.String({ examples: ['LINEN-M'] })),
    quantity: Type.Integer({
      minimum: 0,
      description: 'Of a credit note: the units credited; zero for a reduction of the price',
      examples: [2],
    }),
    unitPrice: nullable(Money),
    discount: Money,
    ...sums,
    parts: Type.Array(
      object(
        { taxGroup: Type.Integer({ minimum: 0, description: 'Position in `taxGroups`', examples: [0] }), ...sums },
        { $id: 'InvoiceLinePart' },
      ),
      { description: 'One for each group of taxes; a shipping charge may have several' },
    ),
  },
  {
    $id: 'InvoiceLine',
    description: '`discount` is zero or below. `net`, `tax` and `gross` are amounts after discounts.',
  },
);

const Invoiced = {
  id: Uuid,
  number: InvoiceNumber,
  kind: Kind,
  orderId: Uuid,
  orderNumber: Type.String({ examples: ['1001'] }),
  invoiceId: nullable(withOptions(Uuid, { description: 'Of a credit note: the invoice that it corrects' })),
  addsTo: nullable(
    withOptions(InvoiceNumber, {
      description: 'Of an invoice of charges that were added to the order later: the number of its invoice',
    }),
  ),
  refundId: nullable(withOptions(Uuid, { description: 'Of a credit note: the refund of items that led to it' })),
  currency: Currency,
  issuedOn: Day,
  suppliedOn: nullable(Day),
  totals: object(
    { ...sums, credit: Money, rounding: Money, total: Money },
    {
      $id: 'InvoiceTotals',
      description:
        '`gross` is `net + tax`, and `total` is `gross + credit + rounding`: the total of the order. `credit` is zero or below; `rounding` is what the total was rounded by, up or down, and is not taxed.',
    },
  ),
  credited: Money,
  issuedAt: DateTime,
  updatedAt: DateTime,
};

export const Invoice = object(Invoiced, {
  $id: 'Invoice',
  description:
    'An invoice or a credit note. It never changes once it is issued, except for `credited`: the sum of the credit notes of an invoice. Amounts of a credit note are the amounts credited, zero or above.',
});
export type Invoice = Static<typeof Invoice>;

export const InvoiceDetail = object(
  {
    ...Invoiced,
    locale: Locale,
    seller: object(
      {
        legalName: Type.String(),
        address: Lines,
        vatNumber: nullable(Type.String()),
        registrationNumber: nullable(Type.String()),
        note: nullable(Type.String()),
      },
      { $id: 'InvoiceSeller' },
    ),
    buyer: object(
      { name: nullable(Type.String()), email: Type.String(), address: Lines, vatNumber: nullable(Type.String()) },
      { $id: 'InvoiceBuyer' },
    ),
    taxExemption: OrderResource.properties.taxExemption,
    delivery: withOptions(Lines, { description: "Address of delivery; empty if it is the buyer's" }),
    paid: nullable(
      object(
        {
          amount: Money,
          on: withOptions(Day, { description: 'Day of the last payment, in the time zone of the store' }),
        },
        {
          $id: 'InvoicePaid',
          description: 'What was received for the invoice when it was issued, at most its total; null for nothing',
        },
      ),
    ),
    reason: nullable(Type.String({ examples: ['Arrived broken'] })),
    note: nullable(Type.String({ examples: ['Reverse charge'] })),
    taxGroups: Type.Array(InvoiceTaxGroup),
    lines: Type.Array(InvoiceLine),
  },
  { $id: 'InvoiceDetail', description: 'An invoice or a credit note with everything printed on it' },
);
export type InvoiceDetail = Static<typeof InvoiceDetail>;

export const InvoicePage = integrationPageOf(Invoice, 'InvoicePage');

export const InvoiceQuery = updatedAfterQuery({
  orderId: Type.Optional(Uuid),
  number: Type.Optional(InvoiceNumber),
  kind: Type.Optional(Kind),
  issuedFrom: Type.Optional(withOptions(DateTime, { description: 'Issued at this time or later' })),
  issuedTo: Type.Optional(withOptions(DateTime, { description: 'Issued before this time' })),
});
export type InvoiceQuery = Static<typeof InvoiceQuery>;

export const IssueInvoice = object(
  {
    suppliedOn: Type.Optional(
      nullable(
        withOptions(Day, {
          description:
            'Day of supply, in the time zone of the store: from a year before the day of the order to tomorrow',
        }),
      ),
    ),
    buyer: Type.Optional(
      object(
        {
          name: Type.Optional(nullable(text(200, 'Analytical Engines Ltd'))),
          address: Type.Optional(
            nullable(humanLines(1000, { description: 'In lines', examples: ['12 St James Square\nLondon'] })),
          ),
          vatNumber: Type.Optional(
            nullable(
              humanText(50, {
                description:
                  'In the form of its country, where that is known. Of a sale with the exemption `intra_community` or `reverse_charge` only the proved number, which the invoice has without it',
                examples: ['GB980780684'],
              }),
            ),
          ),
        },
        { $id: 'IssueInvoiceBuyer', description: "Replaces the customer's name and billing address of the order" },
      ),
    ),
    note: Type.Optional(nullable(humanLines(2000, { examples: ['Reverse charge'] }))),
  },
  { $id: 'IssueInvoice' },
);

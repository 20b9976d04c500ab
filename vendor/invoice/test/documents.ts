/**
 * A document as it is stored, for tests of its formats.
 */
import type { InvoiceContent } from '../content.ts';
import type { Issued } from '../electronic/model.ts';

/** An invoice over three shirts for 30.00 less 1.00, with shipping for 1.46, all with 19 % of tax. */
export function document(over: Partial<InvoiceContent> = {}): Issued {
  const line = { variantTitle: null, sku: null, credit: 0 };
  return {
    kind: 'invoice',
    number: 'INV-17',
    currency: 'EUR',
    content: {
      locale: 'en',
      seller: {
        name: 'Demo Store',
        logoUrl: null,
        legalName: 'Demo Store SAS',
        address: ['12 Rue des Lilas', '69003 Lyon'],
        vatNumber: 'FR 40 303 265 045',
        registrationNumber: 'RCS Lyon 303 265 045',
        note: 'Payable within 14 days',
      },
      buyer: {
        name: 'Ada Lovelace',
        email: 'ada@example.com',
        address: ['Ada Lovelace', '1 Way', '69001 Lyon', 'France'],
        vatNumber: null,
      },
      delivery: [],
      orderNumber: '1001',
      orderedOn: '2026-11-21',
      issuedOn: '2026-11-22',
      suppliedOn: null,
      addsTo: null,
      corrects: null,
      reason: null,
      note: null,
      countries: { seller: 'FR', buyer: 'FR', delivery: 'FR' },
      taxGroups: [[{ code: 'vat', label: 'VAT', rate: 19, included: false }]],
      lines: [
        {
          ...line,
          ...{ lineItemId: 'a', shippingCode: null, title: 'Shirt', sku: 'LINEN', quantity: 3, unitAmount: 1000 },
          discount: -100,
          parts: [{ group: 0, net: 2900, taxes: [551] }],
        },
        {
          ...line,
          ...{ lineItemId: null, shippingCode: 'standard', title: 'Standard', quantity: 1, unitAmount: null },
          discount: 0,
          parts: [{ group: 0, net: 146, taxes: [28] }],
        },
      ],
      ...over,
    },
  };
}

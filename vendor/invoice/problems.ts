/**
 * Problems of issuing invoices and credit notes.
 */
import { defineProblem } from '@carton/runtime';

export const invoiceAlreadyIssued = defineProblem({
  code: 'invoice_already_issued',
  status: 409,
  title: 'The order already has an invoice',
});
export const invoiceNotPossible = defineProblem({
  code: 'invoice_not_possible',
  status: 409,
  title: 'The state of the order does not allow an invoice',
});
export const invoiceSellerIncomplete = defineProblem({
  code: 'invoice_seller_incomplete',
  status: 409,
  title: 'The store has no legal name or address',
});
export const creditNotPossible = defineProblem({
  code: 'credit_not_possible',
  status: 409,
  title: 'The invoice has less left to credit',
});
export const electronicInvoiceNotPossible = defineProblem({
  code: 'electronic_invoice_not_possible',
  status: 409,
  title: 'EN 16931 has no form for this document',
});

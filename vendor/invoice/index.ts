/**
 * @carton/invoice: invoices and credit notes of orders.
 */
import { storeSettingsGroups, storeTasks } from '@carton/core';
import { orderTimelineTypes } from '@carton/order';
import { definePackage, personalData } from '@carton/runtime';
import { createCreditNote } from './credit-notes/routes.ts';
import { invoiceIssued } from './events.ts';
import { readInvoiceFile, readOrderInvoicePdf } from './files/routes.ts';
import { followOrders } from './following/service.ts';
import { readOrderInvoice } from './page/routes.ts';
import { personalInvoices } from './retention/persons.ts';
import { deleteOld } from './retention/service.ts';
import { adminInvoices, issueInvoice } from './routes.ts';
import { invoiceSettings, sellerMissing } from './settings.ts';

export default definePackage({
  routes: [...adminInvoices, issueInvoice, createCreditNote, readInvoiceFile, readOrderInvoice, readOrderInvoicePdf],
  events: [invoiceIssued],
  subscribers: [followOrders],
  jobs: [deleteOld],
  extends: [
    storeSettingsGroups.with(invoiceSettings),
    storeTasks.with(sellerMissing),
    orderTimelineTypes.with({ type: 'invoice', label: 'Invoice' }),
    personalData.with(personalInvoices),
  ],
});

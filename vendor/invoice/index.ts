/**
 * @carton/invoice: invoices and credit notes of orders.
 */
import { storeSettingsGroups } from '@carton/core';
import { orderTimelineTypes } from '@carton/order';
import { definePackage, personalData } from '@carton/runtime';
import { invoiceIssued } from './events.ts';
import { followOrders } from './follow.ts';
import { personalInvoices } from './persons.ts';
import { deleteOld } from './retention.ts';
import { adminInvoices, createCreditNote, issueInvoice, readOrderInvoice } from './routes.ts';
import { invoiceSettings } from './settings.ts';

export default definePackage({
  routes: [...adminInvoices, issueInvoice, createCreditNote, readOrderInvoice],
  events: [invoiceIssued],
  subscribers: [followOrders],
  jobs: [deleteOld],
  extends: [
    storeSettingsGroups.with(invoiceSettings),
    orderTimelineTypes.with({ type: 'invoice', label: 'Invoice' }),
    personalData.with(personalInvoices),
  ],
});

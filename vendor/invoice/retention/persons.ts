/**
 * Invoices as personal data. They are exported, and erasure leaves them: tax law requires the seller to keep complete
 * invoices (GDPR, Article 17, paragraph 3 b). The database rejects changes, so that this cannot be circumvented.
 */
import type { PersonalData, TenantDatabase } from '@carton/runtime';
import { invoiceDetailOf } from '../present.ts';
import { type InvoiceRow, idsOfOrders, invoices } from '../store.ts';

export const personalInvoices: PersonalData = {
  name: 'invoices',
  keeps: [
    {
      table: 'invoices',
      columns: ['content'],
      reason: 'Tax law requires complete invoices, with the name and address of the buyer.',
      kept: 'until ten years after the year of the invoice, or longer if the store is required to, also after you ask for erasure',
    },
  ],
  async find(db, { records }) {
    return { records: { invoice: await idsOfOrders(db, records.order ?? []) } };
  },
  async exportData(db: TenantDatabase, { records }) {
    const found: InvoiceRow[] = await invoices.findInOrder(db, records.invoice ?? []);
    return found.length === 0 ? null : found.map(invoiceDetailOf);
  },
  async erase() {},
};

/**
 * Settings of invoices, stored with those of the store.
 */
import { reservedSetting, type Store, type StoreTask, storeSettings } from '@carton/core';
import { humanLines, nullable, oneOf, Type, withOptions, writtenText } from '@carton/runtime';

/** Does not end in a digit, so that two prefixes never lead to the same number. */
const prefix = (initial: string, description: string) =>
  Type.String({
    maxLength: 20,
    pattern: '^([A-Za-z0-9 ./_-]*[A-Za-z ./_-])?$',
    default: initial,
    description,
    examples: [initial],
  });

export const invoiceSettings = storeSettings('invoice', {
  issueOn: oneOf(['manual', 'payment', 'shipment'], {
    default: 'manual',
    description:
      'When the invoice of an order is issued: by staff only, once the order is paid in full, or when its first parcel is shipped',
  }),
  // It tells buyers to which account to pay.
  note: reservedSetting(
    'invoice:write',
    withOptions(nullable(humanLines(2000, { examples: ['Payable within 14 days'] })), {
      default: null,
      description: 'Printed below each invoice: bank account, terms of payment, legal notices',
    }),
  ),
  keepYears: Type.Integer({
    minimum: 10,
    maximum: 100,
    default: 10,
    description:
      'Years after the end of the year of issue for which invoices and credit notes are stored, as tax law requires; then they are deleted. At least ten',
  }),
  prefix: prefix(
    'INV-',
    'Precedes the number of invoices. Each prefix has a series of its own without gaps, from 1; to begin a new one each year, include the year',
  ),
  creditNotePrefix: prefix(
    'CN-',
    'Precedes the number of credit notes. With the same prefix as invoices, both share one series',
  ),
});

/** The name and address of the seller; null for blank ones, which earlier releases have stored. */
export function sellerOf({ legalName, address }: Pick<Store, 'legalName' | 'address'>): [string | null, string | null] {
  return [writtenText(legalName), writtenText(address)];
}

/** Automatic invoices cannot be issued without the seller; by hand, the attempt says so. */
export const sellerMissing: StoreTask = {
  code: 'invoice_seller_missing',
  detail: 'Set legalName and address of the store: until then no invoice is issued.',
  isOpen: (_, store) => invoiceSettings.of(store).issueOn !== 'manual' && sellerOf(store).includes(null),
};

/**
 * What packages of partners need although no package of the project uses it, by the entry point that exports it.
 */
import type { Kept } from './export-users.ts';

export const keptExports: readonly Kept[] = [
  {
    module: '@carton/runtime',
    names: ['recordDeletions'],
    reason: 'statements that delete rows of a list which integrators follow record the deletions themselves',
  },
  {
    module: '@carton/runtime',
    names: ['percentWithin'],
    reason: 'a step of totals with a tax of its own computes what a price includes',
  },
  {
    module: '@carton/runtime',
    names: ['everyAddress'],
    reason: 'a feed or an index of pages reads storefrontAddresses in batches',
  },
  {
    module: '@carton/cart',
    names: ['priceSale'],
    reason: 'drafts, quotes and renewals are priced as carts are',
  },
  {
    module: '@carton/checkout',
    names: ['placeSale', 'placingProblemsIn'],
    reason: 'drafts, quotes and renewals are ordered as carts are',
  },
  {
    module: '@carton/inventory',
    names: ['openStockLevels'],
    reason: 'a package that contributes stockLocations creates levels at them',
  },
  {
    module: '@carton/notification',
    names: ['MailRefused'],
    reason: 'a transport of mailTransports throws it for a final refusal',
  },
  {
    module: '@carton/pricing',
    names: ['priceOrder', 'priceSource'],
    reason: 'sources of priceSources are declared with them',
  },
  {
    module: '@carton/payment',
    names: ['tenderOrder'],
    reason: 'tenders are declared with it',
  },
  {
    module: '@carton/payment',
    names: ['refundOrder'],
    reason: 'a package of returns or claims refunds an order as staff do',
  },
];

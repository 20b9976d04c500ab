/**
 * Addresses of the storefront's product pages that are open to everyone.
 */
import { addressesByHandle } from '@carton/runtime';
import { visibleTo } from './visibility.ts';

export const productAddresses = addressesByHandle('products', async (db) => {
  const visible = await visibleTo(db);
  return { sql: `status = 'published' and deleted_at is null and ${visible.sql(5)}`, values: visible.values };
});

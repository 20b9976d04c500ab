/**
 * Addresses of the storefront's product pages, and which of them are open to everyone.
 */
import { addressesByHandle, type TenantDatabase, targetsByHandle } from '@carton/runtime';
import { published } from './conditions.ts';
import { visibleTo } from './visibility.ts';

async function visible(db: TenantDatabase) {
  const condition = await visibleTo(db);
  return { sql: `${published} and ${condition.sql(5)}`, values: condition.values };
}

export const productAddresses = addressesByHandle('products', visible);
export const productTargets = targetsByHandle({
  name: 'product',
  table: 'products',
  exists: 'deleted_at is null',
  visible,
});

/**
 * Addresses of the storefront's product pages, and which of them are open to everyone.
 */
import { addressesByHandle, type TenantDatabase, targetsByHandle } from '@carton/runtime';
import { published } from '../conditions-store.ts';
import { nextChange } from '../schedule/store.ts';
import { productVisibility, visibleTo } from '../viewers/visibility.ts';

async function visible(db: TenantDatabase) {
  const condition = await visibleTo(db);
  const readsOtherTables = productVisibility.of(db).length > 0;
  return { sql: `${published} and ${condition.sql(5)}`, values: condition.values, readsOtherTables };
}

const exists = 'deleted_at is null';

export const productAddresses = addressesByHandle('products', {
  visible,
  exists,
  changesAt: nextChange,
  changesAtColumn: 'visibility_changes_at',
});
export const productTargets = targetsByHandle({
  name: 'product',
  table: 'products',
  exists,
  visible,
});

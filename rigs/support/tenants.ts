/**
 * The tenants of rigs.
 */
import { type LoadTenant, openTenantAt } from '../../tools/load/tenant.ts';
import { secrets } from './box.ts';

/** Initial stock of each variant: more than any rig sells. */
export const stock = 1_000_000;
const products = 8;

/** Creates tenants on a box. */
export async function openTenants(url: string, count: number): Promise<LoadTenant[]> {
  const tenants: LoadTenant[] = [];
  for (let number = 1; number <= count; number++) {
    tenants.push(await openTenantAt(url, { secrets, slug: `shop-${number}`, products, stock }));
  }
  return tenants;
}

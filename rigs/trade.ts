/**
 * The shops that rigs trade in.
 */
import { openShopAt, type Shop } from '../tools/load/shop.ts';
import { secrets } from './box.ts';

/** What each variant begins with: more than any rig sells. */
export const stock = 1_000_000;
const products = 8;

/** Opens so many shops on a box. */
export async function openShops(url: string, count: number): Promise<Shop[]> {
  const shops: Shop[] = [];
  for (let number = 1; number <= count; number++) {
    shops.push(await openShopAt(url, { secrets, slug: `shop-${number}`, products, stock }));
  }
  return shops;
}

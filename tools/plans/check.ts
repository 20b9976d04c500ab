/**
 * Measures what every list of every package reads from a large store; shared by a test and a rig.
 */
import { keepIndexes, type TestBox, until } from '@carton/runtime/testing';
import { checkPlans, lineOf, tableOf } from '@carton/runtime/testing/plans';
import { seedStore } from '../seed/index.ts';
import { describeProducts, limitsOf, queriesOfProducts } from './catalogue.ts';
import { fillTenant } from './full-tenant.ts';

export interface ListPlanFindings {
  /** The findings as a table. */
  table: string[];
  /** Calls that read too much, and lists that could not be called. */
  broken: string[];
  calls: number;
}

export interface ListPlanSizes {
  copies: number;
  /** Orders to add to the copies. */
  orders?: number;
  /**
   * Products to add, with brands, tags and categories, by which their lists are called as well: these lists then have limits
   * of their own (`limitsOf`). Default: a tenth of the orders, without any of this.
   */
  products?: number;
}

/** Fills two tenants, copies the rows of one and calls all lists. */
export async function checkListPlans(
  box: TestBox,
  { copies, orders = 0, products = 0 }: ListPlanSizes,
  say: (text: string) => void,
): Promise<ListPlanFindings> {
  const other = await box.openTenant();
  const [member] = [await fillTenant(box, box), await fillTenant(box, other)];
  await endJobs(box);
  const fill = async () => {
    if (orders === 0 && products === 0) return;
    const sizes = { products: products || Math.round(orders / 10), orders, members: Math.round(orders / 5) };
    say(`adding ${sizes.products} products and ${orders} orders`);
    await seedStore(box.databaseUrl, { ...sizes, tenant: box.slug, add: true });
    if (products === 0) return;
    say('describing the products');
    await describeProducts(box.databaseUrl, box.id);
  };
  const again = { operationIds: ['listProducts'], change: () => sortInSwedish(box) };
  const large = products > 0 && { queries: queriesOfProducts, limitsOf };
  const result = await checkPlans(box, { tenant: box, member, copies, fill, again, say, ...large });
  const failing = result.findings.filter(({ fails }) => fails);
  return {
    table: tableOf(result),
    broken: [...failing.map(lineOf), ...result.untested],
    calls: result.findings.length,
  };
}

/** Products sorted by title are then in the order of a language, whose index has none for brands and types beside it. */
async function sortInSwedish(box: TestBox): Promise<void> {
  await box.staff.patch('/admin/store', { defaultLocale: 'sv' });
  await keepIndexes(box);
  const sorted = '/products?sort=title&limit=1';
  await until(
    async () => String((await box.visitor().get(sorted)).body.nextCursor),
    (cursor) => Buffer.from(cursor, 'base64url').includes('title sv'),
  );
}

/**
 * Has jobs run a last time, so that products are listed by their stock, and then no more: a job that changes rows while
 * lists are measured leaves dead ones, which lists read until the next vacuum.
 */
async function endJobs(box: TestBox): Promise<void> {
  await box.owner.query('update background_tasks set due_at = now()');
  const counted = 'select from product_stock where tenant_id = $1 and units > 0';
  const inStock = async () => (await box.owner.query(counted, [box.id])).length;
  await until(inStock, (products) => products === 2);
  await box.owner.query("update background_tasks set due_at = 'infinity'");
}

/**
 * The statement of a page of products.
 */
import { maxPageSize, type TenantDatabase } from '@carton/runtime';
import { type Condition, type Order, orderBy, published, statement } from '../conditions-store.ts';
import { type Parts, type ProductDocument, productColumns, shownParts } from '../reads/store.ts';

/** One more than the largest page, to detect whether another follows. */
const maxRows = maxPageSize + 1;

function partsOf(fields: ReadonlySet<string> | null): Parts {
  const has = (name: string) => !fields || fields.has(name);
  return { variants: has('variants'), options: has('options'), media: has('media') };
}

/**
 * The first published products of an order that meet a condition, each with the value of the order's column.
 * @param fields the requested fields; variants, options and media are read only if requested
 */
export function listInOrder(
  db: TenantDatabase,
  { order, condition, limit }: { order: Order; condition: Condition; limit: number },
  fields: ReadonlySet<string> | null,
): Promise<(ProductDocument & { sortKey: string })[]> {
  return db.query(pageStatement(order, partsOf(fields), condition), [limit, ...condition.values]);
}

/** The statement of a page: one text for each sort, set of parts and condition. */
function pageStatement(order: Order, parts: Parts, condition: Condition): string {
  const names = Object.entries(parts).flatMap(([name, isNeeded]) => (isNeeded ? [name] : []));
  return statement(`page ${order.name} ${order.column} ${names} ${condition.key}`, () => {
    const { column, direction, from } = order;
    // The constant inner limit helps the planner: with a parameter alone it would plan each execution again.
    return `
      select ${shownParts(parts)}
        from (select * from (
                select ${productColumns}, ${column} as sort_key from ${from}
                 where products.tenant_id = $1 and ${published} and ${condition.sql(3)}
                 ${orderBy(order)} limit ${maxRows}) page
               limit $2) product
       order by sort_key ${direction}, id ${direction}`;
  });
}

/**
 * Checks the books of every store in a database that is at rest: orders, payments, refunds, invoices, parcels and stock
 * agree.
 */
import { movementFaults } from './consistency.ts';
import { checkOrderRecords } from './order-records.ts';
import { type Reader, withReader } from './postgres.ts';
import type { Findings } from './rig.ts';

interface Totals {
  orders: number;
  payments: number;
  received: number;
  unitsSold: number;
}

const totalsText = `
  select (select count(*)::integer from orders where tenant_id = $1) as orders,
         (select count(*)::integer from payments where tenant_id = $1) as payments,
         (select coalesce(sum(paid_amount), 0)::float8 from orders where tenant_id = $1) as received,
         (select coalesce(sum(quantity), 0)::integer from order_line_items where tenant_id = $1) as "unitsSold"`;

/** Stock is the sum of its movements, and none is reserved for a checkout that has ended. */
const levelsText = `
  select level.stock_item_id as id, on_hand as "onHand", reserved,
         (select coalesce(sum(quantity), 0)::integer from stock_movements movement
           where movement.tenant_id = $1 and movement.stock_item_id = level.stock_item_id) as moved
    from stock_levels level where level.tenant_id = $1`;

/** Units that were returned to the stock by order; none has more than it took. */
const returnedText = `
  select reference_id as "orderId", sum(quantity)::integer as more from stock_movements
   where tenant_id = $1 and reason in ('sold', 'returned') and reference_id is not null
   group by reference_id having sum(quantity) > 0`;

/** @param url of the database */
export function checkBooks(url: string): Promise<Findings> {
  return withReader(url, async (read) => {
    const tenants = await read<{ id: string; slug: string }>('select id, slug from tenants order by slug');
    const findings: Findings = { broken: [], counts: {} };
    for (const { id, slug } of tenants) {
      const { broken, counts } = await checkStore(read, id);
      findings.broken.push(...broken.map((line) => `${slug}: ${line}`));
      findings.counts = addCounts(findings.counts, { stores: 1, ...counts });
    }
    return findings;
  });
}

async function checkStore(read: Reader, tenantId: string): Promise<Findings> {
  const records = await checkOrderRecords(read, tenantId);
  const levels = await read<{ id: string; onHand: number; reserved: number; moved: number }>(levelsText, [tenantId]);
  const returned = await read<{ orderId: string; more: number }>(returnedText, [tenantId]);
  const [totals] = await read<Totals>(totalsText, [tenantId]);
  return {
    broken: [
      ...records.broken,
      ...(await movementFaults(read, tenantId)),
      ...levels
        .filter(({ onHand, reserved, moved }) => onHand !== moved || reserved !== 0)
        .map(
          (level) => `stock of ${level.id}: ${level.onHand} on hand, ${level.reserved} reserved, moved ${level.moved}`,
        ),
      ...returned.map(({ orderId, more }) => `order ${orderId} returned ${more} units more than it took`),
    ],
    counts: { ...totals, ...records.counts },
  };
}

/** Adds counts by name. */
export function addCounts(one: Findings['counts'], other: Findings['counts']): Findings['counts'] {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...names].map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]));
}

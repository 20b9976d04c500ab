/**
 * Compares what shoppers saw with the database: orders, stock to the unit, events, carts.
 */
import type { LoadTenant } from '../../tools/load/tenant.ts';
import { withReader } from './postgres.ts';
import type { Findings } from './rig.ts';
import type { Purchase } from './shoppers.ts';

type Read = <R>(text: string, values?: unknown[]) => Promise<R[]>;

/** Formats lines as sorted `variant × quantity`, to compare them as text. */
const linesText = (items: Iterable<readonly [string, number]>) =>
  [...items]
    .map(([variant, quantity]) => `${variant} × ${quantity}`)
    .sort()
    .join(', ');

interface OrderRow {
  id: string;
  cart_id: string;
  session_hash: string;
  lines: Record<string, number>;
}

interface CartRow {
  session_hash: string;
  lines: Record<string, number>;
}

/**
 * Checks tenants after all shoppers have stopped.
 * @param stock initial stock of each variant
 */
export function checkConsistency(
  url: string,
  tenants: readonly LoadTenant[],
  purchases: readonly Purchase[],
  stock: number,
): Promise<Findings> {
  return withReader(url, async (read) => {
    const findings: Findings = { broken: [], counts: { orders: 0, carts: 0, events: 0 } };
    for (const tenant of tenants) {
      const own = purchases.filter((purchase) => purchase.tenant === tenant);
      const { broken, counts } = await checkTenant(read, tenant, own, stock);
      findings.broken.push(...broken.map((line) => `${tenant.slug}: ${line}`));
      for (const [name, count] of Object.entries(counts)) findings.counts[name] = (findings.counts[name] ?? 0) + count;
    }
    return findings;
  });
}

async function checkTenant(
  read: Read,
  { tenantId }: LoadTenant,
  purchases: Purchase[],
  stock: number,
): Promise<Findings> {
  const orders = await read<OrderRow>(
    `select orders.id, cart_id, session_hash, jsonb_object_agg(line.variant_id, line.quantity) as lines
       from orders join order_line_items line on line.tenant_id = $1 and line.order_id = orders.id
      where orders.tenant_id = $1 group by orders.tenant_id, orders.id`,
    [tenantId],
  );
  const carts = await read<CartRow>(
    `select session_hash, jsonb_object_agg(line.variant_id, line.quantity) as lines
       from carts join cart_line_items line on line.tenant_id = $1 and line.cart_id = carts.id
      where carts.tenant_id = $1 and status = 'active' group by carts.tenant_id, carts.id, session_hash`,
    [tenantId],
  );
  const broken = [
    ...purchaseFaults(purchases, orders, carts),
    ...(await stockFaults(read, tenantId, stock)),
    ...(await eventFaults(read, tenantId)),
    ...(await incompleteFaults(read, tenantId)),
  ];
  const [{ events } = { events: 0 }] = await read<{ events: number }>(
    'select count(*)::integer as events from event_outbox where tenant_id = $1',
    [tenantId],
  );
  return { broken, counts: { orders: orders.length, carts: carts.length, events } };
}

/** Each purchase is what its shopper saw: one order, or the cart with the acknowledged items. */
function purchaseFaults(
  purchases: readonly Purchase[],
  orders: readonly OrderRow[],
  carts: readonly CartRow[],
): string[] {
  const faults: string[] = [];
  const ordersOf = Map.groupBy(orders, (order) => order.session_hash);
  const cartOf = new Map(carts.map((cart) => [cart.session_hash, cart]));
  const sessions = new Set(purchases.map((purchase) => purchase.sessionHash));
  for (const order of orders) if (!sessions.has(order.session_hash)) faults.push(`no shopper placed order ${order.id}`);
  for (const { sessionHash, behaviour, items, placed, end } of purchases) {
    const own = ordersOf.get(sessionHash) ?? [];
    const orderIds = [...new Set(placed)];
    const who = `a shopper (${behaviour})`;
    if (end === 'given up') faults.push(`${who} got no response for too long`);
    if (orderIds.length > 1)
      faults.push(`${who} got ${orderIds.length} order ids for one cart: ${orderIds.join(', ')}`);
    if (own.length > 1)
      faults.push(`${who} has ${own.length} orders from one cart: ${own.map(({ id }) => id).join(', ')}`);
    for (const id of orderIds)
      if (!own.some((order) => order.id === id)) faults.push(`${who} got the id of order ${id}, which does not exist`);
    if (end === 'already ordered' && own.length === 0) faults.push(`${who} found an empty cart without an order`);
    if (end === 'abandoned' && own.length > 0) faults.push(`${who} has order ${own[0]?.id} without a checkout`);
    if (end === 'given up' || end === 'refused') continue;
    const found = own[0] ?? cartOf.get(sessionHash);
    const has = linesText(Object.entries(found?.lines ?? {}));
    const expected = linesText(items);
    if (has !== expected) faults.push(`${who} added ${expected}, and has ${has || 'nothing'}`);
  }
  return faults;
}

/** Stock is what there was less what was sold, and each order line has one movement. */
async function stockFaults(read: Read, tenantId: string, stock: number): Promise<string[]> {
  const levels = await read<{ id: string; on_hand: number; reserved: number; moved: number; sold: number }>(
    `select level.stock_item_id as id, on_hand, reserved,
            (select coalesce(sum(quantity), 0)::integer from stock_movements movement
              where movement.tenant_id = $1 and movement.stock_item_id = level.stock_item_id) as moved,
            (select coalesce(sum(quantity), 0)::integer from order_line_items line
              where line.tenant_id = $1 and line.variant_id = level.stock_item_id) as sold
       from stock_levels level where level.tenant_id = $1`,
    [tenantId],
  );
  return [
    ...levels
      .filter(({ on_hand, moved, sold, reserved }) => on_hand !== stock - sold || moved !== on_hand || reserved !== 0)
      .map(
        ({ id, on_hand, moved, sold, reserved }) =>
          `stock of ${id}: ${on_hand} on hand, ${reserved} reserved, sum of movements ${moved}, expected ${stock} less ${sold} sold`,
      ),
    ...(await movementFaults(read, tenantId)),
  ];
}

/** The units of each order line were taken from the stock once. */
export async function movementFaults(read: Read, tenantId: string): Promise<string[]> {
  const mismatches = await read<{ order_id: string; taken: number; sold: number }>(
    `select coalesce(line.order_id, movement.order_id) as order_id, taken, sold
       from (select order_id, variant_id, sum(quantity)::integer as sold
               from order_line_items where tenant_id = $1 group by order_id, variant_id) line
       full join (select reference_id as order_id, stock_item_id, -sum(quantity)::integer as taken
                    from stock_movements where tenant_id = $1 and reason = 'sold'
                   group by reference_id, stock_item_id) movement
         on movement.order_id = line.order_id and movement.stock_item_id = line.variant_id
      where taken is distinct from sold`,
    [tenantId],
  );
  return mismatches.map(
    ({ order_id, taken, sold }) =>
      `order ${order_id} has ${sold ?? 'none'}, and the stock movements ${taken ?? 'none'}`,
  );
}

/** Each order has its two events once, and no event has an unknown order. */
async function eventFaults(read: Read, tenantId: string): Promise<string[]> {
  const rows = await read<{ id: string; placed: number; completed: number }>(
    `select coalesce(orders.id, event.order_id) as id, coalesce(placed, 0)::integer as placed,
            coalesce(completed, 0)::integer as completed
       from (select id from orders where tenant_id = $1) orders
       full join (select case type when 'order.placed' then resource_id else (payload->>'orderId')::uuid end as order_id,
                         count(*) filter (where type = 'order.placed') as placed,
                         count(*) filter (where type = 'checkout.completed') as completed
                    from event_outbox where tenant_id = $1 and type in ('order.placed', 'checkout.completed')
                   group by 1) event on event.order_id = orders.id
      where orders.id is null or placed is distinct from 1 or completed is distinct from 1`,
    [tenantId],
  );
  return rows.map(
    ({ id, placed, completed }) => `order ${id} has ${placed} order.placed and ${completed} checkout.completed`,
  );
}

/** Incomplete rows, which a crash must not leave. */
async function incompleteFaults(read: Read, tenantId: string): Promise<string[]> {
  const unfinishedKeys = await read<{ key: string }>(
    'select key from idempotency_keys where tenant_id = $1 and status is null',
    [tenantId],
  );
  const lineless = await read<{ id: string }>(
    `select id from orders where tenant_id = $1
        and not exists (select from order_line_items line where line.tenant_id = $1 and line.order_id = orders.id)`,
    [tenantId],
  );
  return [
    ...unfinishedKeys.map(({ key }) => `the Idempotency-Key ${key} has no response`),
    ...lineless.map(({ id }) => `order ${id} has no items`),
  ];
}

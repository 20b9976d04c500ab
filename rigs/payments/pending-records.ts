/**
 * Compares what a box has recorded of orders that waited for their payment: each is placed once, or canceled once with its
 * stock and its cart back, and none waits for ever.
 */
import type { Reader } from '../support/postgres.ts';

interface PendingRecords {
  id: string;
  status: string;
  /** Pending, or canceled while it was. */
  unplaced: boolean;
  /** Events `order.placed` and `order.canceled`. */
  placed: number;
  canceled: number;
  /** The status of the cart that became the order. */
  cart: string | null;
}

const ordersText = `
  select orders.id, orders.status, orders.pending_until is not null as unplaced, carts.status as cart,
         (select count(*)::integer from event_outbox event
           where event.tenant_id = $1 and event.resource_id = orders.id and event.type = 'order.placed') as placed,
         (select count(*)::integer from event_outbox event
           where event.tenant_id = $1 and event.resource_id = orders.id and event.type = 'order.canceled') as canceled
    from orders left join carts on carts.tenant_id = $1 and carts.id = orders.cart_id
   where orders.tenant_id = $1`;

/** Units on hand, and those that orders hold. */
const stockText = `
  select levels.stock_item_id as id, levels.on_hand as "onHand",
         (select coalesce(sum(line.quantity - line.restocked_quantity), 0)::integer from order_line_items line
           where line.tenant_id = $1 and line.variant_id = levels.stock_item_id) as held
    from stock_levels levels where levels.tenant_id = $1`;

function faultsOf({ id, status, unplaced, placed, canceled, cart }: PendingRecords): string[] {
  const rules: [boolean, string][] = [
    [!unplaced || status === 'canceled', 'still waits for its payment'],
    [placed === (unplaced ? 0 : 1), `has ${placed} order.placed`],
    [canceled === (status === 'canceled' ? 1 : 0), `has ${canceled} order.canceled`],
    [cart === (unplaced ? 'merged' : 'completed'), `has a cart that is ${cart}`],
  ];
  return rules
    .filter(([holds]) => !holds)
    .map(([, fault]) => `the ${unplaced ? 'unplaced' : status} order ${id} ${fault}`);
}

/**
 * The faults, once no work is left, and counts.
 * @param stock units of each variant at first
 */
export async function checkPendingRecords(
  read: Reader,
  tenantId: string,
  stock: number,
): Promise<{ broken: string[]; counts: Record<string, number> }> {
  const orders = await read<PendingRecords>(ordersText, [tenantId]);
  const levels = await read<{ id: string; onHand: number; held: number }>(stockText, [tenantId]);
  return {
    broken: [
      ...orders.flatMap(faultsOf),
      ...levels
        .filter(({ onHand, held }) => onHand + held !== stock)
        .map(({ id, onHand, held }) => `stock of ${id}: ${onHand} on hand and ${held} held, of ${stock}`),
    ],
    counts: { ordersNeverPlaced: orders.filter(({ unplaced }) => unplaced).length },
  };
}

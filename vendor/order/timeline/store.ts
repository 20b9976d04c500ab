/**
 * Queries of `order_events`.
 */
import { type ActorColumns, actedBy, newId, rows, type TenantDatabase } from '@carton/runtime';
import { keepUnpaid } from '../store.ts';

/** Who made an entry in a timeline, if not staff. */
export type EntryActor = { type: 'system' } | { type: 'shopper'; id: string };

export interface OrderEventRow extends ActorColumns {
  id: string;
  orderId: string;
  type: string;
  message: string;
  createdAt: string;
}

/** The timeline of orders. Entries are immutable. */
export const { page: listOrderEvents } = rows<OrderEventRow>({ table: 'order_events', noun: 'entry' });

/**
 * Adds an entry to an order's timeline. Its actor is that of `tx`, else `by`. An order that staff have acted on waits for
 * them, also unpaid.
 */
export function insertOrderEvent(
  tx: TenantDatabase,
  orderId: string,
  type: string,
  message: string,
  by: EntryActor = { type: 'system' },
): Promise<OrderEventRow> {
  return tx.transaction(async (inside) => {
    if (inside.actor) await keepUnpaid(inside, orderId);
    return inside.insert<OrderEventRow>('order_events', {
      orderId,
      id: newId(),
      type,
      message,
      ...actedBy(inside, by),
    });
  });
}

/** Ids of the entries of orders whose type is none of these. */
export async function findEntries(
  db: TenantDatabase,
  orderIds: readonly string[],
  { exceptTypes }: { exceptTypes: readonly string[] },
): Promise<string[]> {
  const entries = await db.query<{ id: string }>(
    'select id from order_events where tenant_id = $1 and order_id = any($2::uuid[]) and type <> all($3::text[])',
    [orderIds, exceptTypes],
  );
  return entries.map(({ id }) => id);
}

/**
 * Replaces the messages of orders, and removes the names of shoppers from entries.
 * @param by the message for each type, else `Erased`
 * @param exceptTypes whose messages stay
 */
export async function eraseMessages(
  tx: TenantDatabase,
  orderIds: readonly string[],
  { by, exceptTypes }: { by: Record<string, string>; exceptTypes: readonly string[] },
): Promise<void> {
  await tx.query(
    `update order_events
        set message = case when type = any($4::text[]) then message else coalesce($3::jsonb ->> type, 'Erased') end,
            actor_label = case when actor_type = 'shopper' then null else actor_label end
      where tenant_id = $1 and order_id = any($2::uuid[])`,
    [orderIds, JSON.stringify(by), exceptTypes],
  );
}

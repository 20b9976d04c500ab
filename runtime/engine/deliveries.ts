/**
 * Queries of `event_deliveries`, for staff who check failed deliveries.
 */

import type { TenantDatabase } from '../db/tenant-database.ts';
import { wakeBackground } from '../events/outbox.ts';
import { decodeCursor, type Page, pageOfRows } from '../http/paging.ts';
import { paginate, type Sort } from '../queries/paging.ts';
import type { EventDelivery, EventDeliveryQuery } from './schemas.ts';

interface DeliveryRow extends Omit<EventDelivery, 'event'> {
  eventId: string;
  type: string;
  resourceType: string;
  resourceId: string;
  payload: unknown;
  eventCreatedAt: string;
}

/** Ids are generated at dispatch, in the order of the deliveries. The name is part of issued cursors. */
const newestFirst: Sort = { name: 'dealt', column: 'id', direction: 'desc' };

function deliveriesOf(db: TenantDatabase) {
  return db
    .table<DeliveryRow>('event_deliveries')
    .join('event_outbox as event', (on) =>
      on.on('event.tenantId', 'event_deliveries.tenantId').on('event.id', 'event_deliveries.eventId'),
    )
    .select(
      'event_deliveries.*',
      'event.type',
      'event.resourceType',
      'event.payload',
      'event.createdAt as eventCreatedAt',
    );
}

function present(row: DeliveryRow): EventDelivery {
  const { eventId, type, resourceType, resourceId, payload, eventCreatedAt, ...delivery } = row;
  const resource = { type: resourceType, id: resourceId };
  return { ...delivery, event: { id: eventId, type, createdAt: eventCreatedAt, resource, payload } };
}

export async function listDeliveries(db: TenantDatabase, query: EventDeliveryQuery): Promise<Page<EventDelivery>> {
  const { status, subscriber, type, resourceId, ...page } = query;
  const isUndelivered = status !== undefined && status !== 'delivered';
  if (resourceId === undefined && (isUndelivered || subscriber !== undefined || type !== undefined)) {
    return listByKind(db, query);
  }
  const deliveries = deliveriesOf(db);
  const equal = { status, subscriber, type, resource_id: resourceId };
  for (const [column, value] of Object.entries(equal)) {
    if (value !== undefined) deliveries.where(`event_deliveries.${column}`, value);
  }
  const { items, nextCursor } = await paginate<DeliveryRow>(deliveries as never, 'event_deliveries', page, newestFirst);
  return { items: items.map(present), nextCursor };
}

/**
 * A page of the deliveries with the requested subscriber and type. A kind is one such pair. Statements are planned
 * without their values, so no plan could distinguish a subscriber with most of the deliveries from one with none. There
 * are few kinds, and an index groups them, each with its newest delivery last: the query walks the kinds in the index
 * (a loose index scan), reads the newest deliveries of each, and merges them. The rows are compared in the index's
 * column order, so that no other index is suitable.
 */
async function listByKind(
  db: TenantDatabase,
  { status, subscriber, type, limit, cursor }: EventDeliveryQuery,
): Promise<Page<EventDelivery>> {
  const before = cursor === undefined ? lastId : decodeCursor(cursor, newestFirst.name)[2];
  const place = [subscriber ?? '', type ?? '', before, limit + 1];
  const isUndelivered = status !== undefined && status !== 'delivered';
  const found = isUndelivered
    ? await db.query<{ id: string }>(undeliveredText, [...place, status])
    : await db.query<{ id: string }>(status ? deliveredText : kindText, place);
  const { items, nextCursor } = pageOfRows(found, limit, ({ id }) => [newestFirst.name, id, id]);
  const ids = items.map(({ id }) => id);
  const rows = (await deliveriesOf(db)
    .whereIn('event_deliveries.id', ids)
    .orderBy('event_deliveries.id', 'desc')) as DeliveryRow[];
  return { items: rows.map(present), nextCursor };
}

const firstId = '00000000-0000-0000-0000-000000000000';
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * `$2` subscriber, `$3` type (empty for any), `$4` the id before which the page begins, `$5` its length. The table's
 * rows are compared with plain values: with row-level security an index is used for nothing else.
 * @param columns the index columns before the subscriber, each with the parameter for its value
 * @param condition a further condition on the rows, which also makes a partial index usable
 */
function kindTextOf(columns: Record<string, string>, condition: string): string {
  const names = [...Object.keys(columns), 'subscriber', 'type'];
  const kindOf = (table: string) => names.map((name) => `${table}.${name}`).join(', ');
  const requested = [
    "$2 in ('', kinds.subscriber)",
    ...Object.entries(columns).map((pair) => `kinds.${pair.join(' = ')}`),
  ];
  const first = (place: string) => `
    select ${kindOf('listed')} from event_deliveries listed
     where listed.tenant_id = $1 ${condition} and (${kindOf('listed')}) ${place}
     order by ${kindOf('listed')} limit 1`;
  return `
    with recursive kinds as (
      (${first(`>= (${[...Object.values(columns), '$2', "''"].join(', ')})`)})
      union all
      select following.*
        from kinds cross join lateral (${first(`> (${kindOf('kinds')})`)}) following
       where ${requested.join(' and ')}
    )
    select page.id
      from kinds
     cross join lateral (
       select listed.id from event_deliveries listed
        where listed.tenant_id = $1 ${condition}
          and (${kindOf('listed')}, listed.id) >= (${kindOf('kinds')}, '${firstId}'::uuid)
          and (${kindOf('listed')}, listed.id) < (${kindOf('kinds')}, $4::uuid)
        order by ${[...names, 'id'].map((name) => `listed.${name} desc`).join(', ')} limit $5
     ) page
     where ${requested.join(' and ')} and $3 in ('', kinds.type)
     order by page.id desc limit $5`;
}

const kindText = kindTextOf({}, '');
const deliveredText = kindTextOf({}, "and listed.status = 'delivered'");
const undeliveredText = kindTextOf({ status: '$6' }, "and listed.status <> 'delivered'");

export async function findDelivery(db: TenantDatabase, id: string): Promise<EventDelivery | null> {
  const [row] = (await deliveriesOf(db).where('event_deliveries.id', id)) as DeliveryRow[];
  return row ? present(row) : null;
}

/** Retries a delivery immediately; null if it is delivered or unknown. */
export async function retryDelivery(db: TenantDatabase, id: string): Promise<EventDelivery | null> {
  const now = new Date();
  const patch = { status: 'pending', attempts: 0, nextAttemptAt: now, updatedAt: now };
  const [changed] = await db.update('event_deliveries', { id, status: ['pending', 'dead'] }, patch);
  if (!changed) return null;
  wakeBackground(db);
  return findDelivery(db, id);
}

/**
 * Writing events: a row in the outbox, in the same transaction as the change, so that neither is committed without the
 * other.
 */
import { newId } from '../db/id.ts';
import type { TenantDatabase } from '../db/tenant-database.ts';
import { extensionPoint } from '../extension/extension.ts';
import type { Static, TObject, TSchema } from '../http/schemas.ts';
import { faults } from '../http/validation.ts';
import type { EventDefinition } from './event.ts';

/** The subject of an event; the events of one resource are delivered in their order. */
export interface Resource {
  type: string;
  id: string;
}

/** Called with a tenant that has events to dispatch. */
export const outboxListeners = extensionPoint<(tenantId: string) => void>('events.outbox');

/** Wakes the worker for this tenant after the commit, or immediately outside a transaction. */
export function wakeBackground(db: TenantDatabase): void {
  db.afterCommit(() => {
    for (const listener of outboxListeners.of(db)) listener(db.tenantId);
  });
}

/**
 * The outbox row of an event, for a statement that inserts it with other rows. Call it in the transaction of that
 * statement, or just before a statement outside a transaction.
 * @throws Error when the payload does not match the event's schema
 */
export function outboxRow<Payload extends TSchema>(
  db: TenantDatabase,
  event: EventDefinition<Payload>,
  resource: Resource,
  payload: Static<Payload>,
) {
  const wrong = faults(event.payload, payload);
  if (wrong) throw new Error(`event ${event.type} has an invalid payload: ${wrong}`);
  wakeBackground(db);
  return {
    id: newId(),
    type: event.type,
    resourceType: resource.type,
    resourceId: resource.id,
    payload: JSON.stringify(payload),
  };
}

type OutboxColumn = 'id' | 'type' | 'resourceType' | 'resourceId' | 'payload';

/**
 * The SQL that inserts an event into the outbox of the tenant `$1`, as a statement or as a part of one.
 * @param row an SQL expression for each column: a parameter such as `$5`, or a literal in quotes
 * @param from the source of several rows: `from person` inserts one event for each row of `person`
 * @example `with request as (insert …) ${insertEvent({ id: '$4', type: '$5', … })}`, with the values of `outboxRow`
 */
export function insertEvent(row: Readonly<Record<OutboxColumn, string>>, from = ''): string {
  const { id, type, resourceType, resourceId, payload } = row;
  const expressions = ['$1', id, type, resourceType, resourceId, payload].join(', ');
  return `insert into event_outbox (tenant_id, id, type, resource_type, resource_id, payload)
  ${from ? `select ${expressions} ${from}` : `values (${expressions})`}`;
}

const insertText = insertEvent({ id: '$2', type: '$3', resourceType: '$4', resourceId: '$5', payload: '$6' });

/**
 * Writes an event. Call it in the transaction of the change.
 * @throws Error outside a transaction, or when the payload does not match the event's schema
 */
export async function publish<Payload extends TSchema>(
  db: TenantDatabase,
  event: EventDefinition<Payload>,
  resource: Resource,
  payload: Static<Payload>,
): Promise<void> {
  if (!db.inTransaction) throw new Error(`event ${event.type} is written outside a transaction`);
  const row = outboxRow(db, event, resource, payload);
  await db.query(insertText, [row.id, row.type, row.resourceType, row.resourceId, row.payload]);
}

/**
 * Writes an event about a row: the properties of its payload are the row's values of the same names, and `more`.
 * @param type of the resource, as in `Resource`
 * @throws as `publish`
 * @example await publishRow(tx, promotionUsed, 'promotion', promotion, { orderId, amount });
 */
export function publishRow<Payload extends TObject, More extends Partial<Static<Payload>>>(
  db: TenantDatabase,
  event: EventDefinition<Payload>,
  type: string,
  row: { id: string } & Omit<Static<Payload>, keyof More>,
  more?: More,
): Promise<void> {
  const values: Record<string, unknown> = { ...row, ...more };
  const payload = Object.fromEntries(Object.keys(event.payload.properties).map((name) => [name, values[name]]));
  return publish(db, event, { type, id: row.id }, payload as Static<Payload>);
}

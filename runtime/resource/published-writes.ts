/**
 * The writes of a resource, each in one transaction with the event that reports it: `created`, `updated` or `deleted`.
 */
import type { TenantDatabase } from '../db/tenant-database.ts';
import type { EventDefinition } from '../events/event.ts';
import { publishRow } from '../events/outbox.ts';
import type { ResourceEvents } from '../events/resource-events.ts';
import type { Static, TObject, TSchema } from '../http/schemas.ts';
import type { Rows, StoredRow } from './rows.ts';

type Identified = { id: string };

export interface PublishedWrites<Row, Payload> {
  /** @param work inserts the row and returns the resource */
  create<Resource extends Payload & Identified>(
    db: TenantDatabase,
    work: (tx: TenantDatabase) => Promise<Resource>,
  ): Promise<Resource>;
  /**
   * Locks the row first.
   * @param work changes the row and returns the resource
   * @throws not_found (404), before any work
   */
  change<Resource extends Payload & Identified>(
    db: TenantDatabase,
    id: string,
    work: (tx: TenantDatabase, row: Row) => Promise<Resource>,
  ): Promise<Resource>;
  /**
   * Locks the row first.
   * @param before refuses by throwing, or removes what belongs to the row; awaited
   * @throws not_found (404), before any work, and the problem of `inUse`
   */
  remove(db: TenantDatabase, id: string, before?: (tx: TenantDatabase, row: Row) => unknown): Promise<void>;
}

/**
 * @param type of the resource, as in `Resource`
 * @example const { create, change, remove } = publishedWrites(regions, regionEvents, 'region');
 *          const changed = await change(db, id, (tx) => regions.change(tx, id, patch));
 */
export function publishedWrites<Row extends StoredRow & Static<Payload>, Payload extends TObject>(
  rows: Pick<Rows<Row>, 'lock' | 'remove'>,
  events: ResourceEvents<Payload>,
  type: string,
): PublishedWrites<Row, Static<Payload>>;
/** With one event for all writes, whose payload says by `deleted` what happened. New resources have three. */
export function publishedWrites<
  Row extends StoredRow & Omit<Static<Payload>, 'deleted'>,
  Payload extends TObject & { properties: { deleted: TSchema } },
>(
  rows: Pick<Rows<Row>, 'lock' | 'remove'>,
  event: EventDefinition<Payload>,
  type: string,
): PublishedWrites<Row, Omit<Static<Payload>, 'deleted'>>;
export function publishedWrites<Row extends StoredRow>(
  rows: Pick<Rows<Row>, 'lock' | 'remove'>,
  events: ResourceEvents | EventDefinition,
  type: string,
): PublishedWrites<Row, unknown> {
  const publish = (tx: TenantDatabase, name: keyof ResourceEvents, resource: Identified) => {
    const [event, more] = 'payload' in events ? [events, { deleted: name === 'deleted' }] : [events[name], {}];
    return publishRow(tx, event as EventDefinition<TObject>, type, resource, more);
  };
  return {
    create: (db, work) =>
      db.transaction(async (tx) => {
        const resource = await work(tx);
        await publish(tx, 'created', resource);
        return resource;
      }),
    change: (db, id, work) =>
      db.transaction(async (tx) => {
        const resource = await work(tx, await rows.lock(tx, id));
        await publish(tx, 'updated', resource);
        return resource;
      }),
    remove: (db, id, before) =>
      db.transaction(async (tx) => {
        const row = await rows.lock(tx, id);
        await before?.(tx, row);
        await rows.remove(tx, id);
        await publish(tx, 'deleted', row);
      }),
  };
}

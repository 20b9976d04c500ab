/**
 * The writes of a resource, each in one transaction with the event that reports it: `created`, `updated` or `deleted`.
 */
import type { TenantDatabase } from '../db/tenant-database.ts';
import { publishRow } from '../events/outbox.ts';
import type { ResourceEvents } from '../events/resource-events.ts';
import type { Static, TObject } from '../http/schemas.ts';
import type { Rows, StoredRow } from './declared-rows.ts';

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
): PublishedWrites<Row, Static<Payload>> {
  return {
    create: (db, work) =>
      db.transaction(async (tx) => {
        const resource = await work(tx);
        await publishRow(tx, events.created, type, resource);
        return resource;
      }),
    change: (db, id, work) =>
      db.transaction(async (tx) => {
        const resource = await work(tx, await rows.lock(tx, id));
        await publishRow(tx, events.updated, type, resource);
        return resource;
      }),
    remove: (db, id, before) =>
      db.transaction(async (tx) => {
        const row = await rows.lock(tx, id);
        await before?.(tx, row);
        await rows.remove(tx, id);
        await publishRow(tx, events.deleted, type, row);
      }),
  };
}

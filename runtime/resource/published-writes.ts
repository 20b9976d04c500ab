/**
 * The writes of a resource, each in one transaction with the event that reports it.
 */
import type { TenantDatabase } from '../db/tenant-database.ts';
import type { EventDefinition } from '../events/event.ts';
import { publishRow } from '../events/outbox.ts';
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
 * @param event its payload has values of the resource, and `deleted`
 * @param type of the resource, as in `Resource`
 * @example const { create, change, remove } = publishedWrites(regions, regionUpdated, 'region');
 *          const changed = await change(db, id, (tx) => regions.change(tx, id, patch));
 */
export function publishedWrites<
  Row extends StoredRow & Omit<Static<Payload>, 'deleted'>,
  Payload extends TObject & { properties: { deleted: TSchema } },
>(
  rows: Pick<Rows<Row>, 'lock' | 'remove'>,
  event: EventDefinition<Payload>,
  type: string,
): PublishedWrites<Row, Omit<Static<Payload>, 'deleted'>> {
  const publish = (tx: TenantDatabase, resource: Identified, deleted: boolean) =>
    publishRow(tx, event as EventDefinition<TObject>, type, resource, { deleted });
  return {
    create: (db, work) =>
      db.transaction(async (tx) => {
        const resource = await work(tx);
        await publish(tx, resource, false);
        return resource;
      }),
    change: (db, id, work) =>
      db.transaction(async (tx) => {
        const resource = await work(tx, await rows.lock(tx, id));
        await publish(tx, resource, false);
        return resource;
      }),
    remove: (db, id, before) =>
      db.transaction(async (tx) => {
        const row = await rows.lock(tx, id);
        await before?.(tx, row);
        await rows.remove(tx, id);
        await publish(tx, row, true);
      }),
  };
}

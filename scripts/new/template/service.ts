/**
 * Rules of things.
 */
import { publishedWrites, type TenantDatabase } from '@carton/runtime';
import { thingUpdated } from './events.ts';
import type { ChangeThing, CreateThing, Thing } from './schemas.ts';
import { things } from './store.ts';

const { create, change, remove } = publishedWrites(things, thingUpdated, 'thing');

/** @throws external_id_taken (409) */
export function createThing(db: TenantDatabase, body: CreateThing): Promise<Thing> {
  return create(db, (tx) => things.insert(tx, body));
}

/** @throws not_found (404), external_id_taken (409) */
export function changeThing(db: TenantDatabase, id: string, patch: ChangeThing): Promise<Thing> {
  return change(db, id, (tx) => things.change(tx, id, patch));
}

/** @throws not_found (404) */
export function deleteThing(db: TenantDatabase, id: string): Promise<void> {
  return remove(db, id);
}

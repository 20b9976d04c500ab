/**
 * Rules of things.
 */
import { publishRow, type TenantDatabase } from '@carton/runtime';
import { thingUpdated } from './events.ts';
import type { ChangeThing, CreateThing, Thing } from './schemas.ts';
import { things } from './store.ts';

/** @throws external_id_taken (409) */
export function createThing(db: TenantDatabase, body: CreateThing): Promise<Thing> {
  return db.transaction(async (tx) => publishChange(tx, await things.insert(tx, body)));
}

/** @throws not_found (404), external_id_taken (409) */
export function changeThing(db: TenantDatabase, id: string, patch: ChangeThing): Promise<Thing> {
  return db.transaction(async (tx) => {
    await things.lock(tx, id);
    return publishChange(tx, await things.change(tx, id, patch));
  });
}

/** @throws not_found (404) */
export function deleteThing(db: TenantDatabase, id: string): Promise<void> {
  return db.transaction(async (tx) => {
    const thing = await things.lock(tx, id);
    await things.remove(tx, id);
    await publishChange(tx, thing, true);
  });
}

async function publishChange(tx: TenantDatabase, thing: Thing, deleted = false): Promise<Thing> {
  await publishRow(tx, thingUpdated, 'thing', thing, { deleted });
  return thing;
}

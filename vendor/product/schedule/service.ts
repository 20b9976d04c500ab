/**
 * Scheduled publication. Shoppers see a published product from `publishAt` until `unpublishAt`, by the clock of the
 * database: the queries test the times (`conditions-store.ts`), so nothing depends on when the job runs (`job.ts`).
 */
import { emptyPeriod, invalidField, type TenantDatabase } from '@carton/runtime';
import type { Schedule } from './schemas.ts';
import { setNextChange } from './store.ts';

/** The schedule of a product, null where not set. */
export function scheduleOf({ publishAt = null, unpublishAt = null }: Partial<Schedule>): Schedule {
  return { publishAt, unpublishAt };
}

/** @throws invalid_request (400) for a schedule without any time between */
export function rejectEmptySchedule({ publishAt, unpublishAt }: Schedule): void {
  if (publishAt === null || unpublishAt === null || Date.parse(publishAt) < Date.parse(unpublishAt)) return;
  throw emptyPeriod('publishAt', 'unpublishAt');
}

/**
 * Notes when the visibility of a created or changed product changes next.
 * @throws invalid_request (400) if it is published while its time is over
 */
export async function noteNextChange(tx: TenantDatabase, id: string): Promise<void> {
  if (await setNextChange(tx, id)) throw invalidField('/unpublishAt', 'must be in the future for a published product');
}

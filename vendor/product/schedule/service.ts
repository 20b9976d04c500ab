/**
 * Scheduled publication. Shoppers see a published product from `publishAt` until `unpublishAt`, by the clock of the
 * database: the queries test the times (conditions.ts), so nothing depends on when the job runs (schedule-job.ts).
 */
import { invalidField, nullable, type Static, type TenantDatabase, Type } from '@carton/runtime';

const Time = (description: string) =>
  nullable(Type.String({ format: 'date-time', description, examples: ['2026-03-01T12:00:00.000Z'] }));
export const scheduleFields = {
  publishAt: Time('Shoppers do not see a published product before this time; null for immediately'),
  unpublishAt: Time('Shoppers no longer see a published product from this time on, and it is archived; null for never'),
};
const Schedule = Type.Object(scheduleFields);
export type Schedule = Static<typeof Schedule>;

/** The schedule of a product, null where not set. */
export function scheduleOf({ publishAt = null, unpublishAt = null }: Partial<Schedule>): Schedule {
  return { publishAt, unpublishAt };
}

/** @throws invalid_request (400) for a schedule without any time between */
export function rejectEmptySchedule({ publishAt, unpublishAt }: Schedule): void {
  if (publishAt === null || unpublishAt === null || Date.parse(publishAt) < Date.parse(unpublishAt)) return;
  throw invalidField('/unpublishAt', 'must be later than publishAt');
}

/** When the visibility of the row `products` changes next. */
export const nextChange = `case when status <> 'published' or deleted_at is not null then null
  when publish_at > now() then publish_at
  when unpublish_at > now() then unpublish_at end`;

/**
 * Notes when the visibility of a created or changed product changes next.
 * @throws invalid_request (400) if it is published while its time is over
 */
export async function noteNextChange(tx: TenantDatabase, id: string): Promise<void> {
  const [product] = await tx.query<{ isOver: boolean }>(
    `update products set visibility_changes_at = ${nextChange}
      where tenant_id = $1 and id = $2
      returning (status = 'published' and unpublish_at <= now()) is true as is_over`,
    [id],
  );
  if (product?.isOver) throw invalidField('/unpublishAt', 'must be in the future for a published product');
}

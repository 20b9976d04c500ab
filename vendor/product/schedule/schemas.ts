/**
 * Fields of scheduled publication.
 */
import { nullable, type Static, Type } from '@carton/runtime';

const Time = (description: string) =>
  nullable(Type.String({ format: 'date-time', description, examples: ['2026-03-01T12:00:00.000Z'] }));
export const scheduleFields = {
  publishAt: Time('Shoppers do not see a published product before this time; null for immediately'),
  unpublishAt: Time('Shoppers no longer see a published product from this time on, and it is archived; null for never'),
};
const Schedule = Type.Object(scheduleFields);
export type Schedule = Static<typeof Schedule>;

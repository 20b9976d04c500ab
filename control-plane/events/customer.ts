/**
 * The events of a customer as a whole.
 */
import { eachRow } from '@carton/runtime/service';
import type { Knex } from 'knex';
import { type EventRow, eventColumns, selectEvents, shownEvent } from './outbox.ts';

/** All events of a customer. */
export async function* exportEvents(db: Knex, customerId: string): AsyncGenerator<object> {
  const events = () => selectEvents(db, { customerId }).select(eventColumns) as never;
  for await (const event of eachRow<EventRow>(events, 'events')) yield shownEvent(event);
}

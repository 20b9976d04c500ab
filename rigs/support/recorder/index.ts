/**
 * A package for rigs: its subscribers record each event, one in the transaction of the delivery, one outside it.
 */
import { type DeliveredEvent, definePackage, newId, subscriber, type TenantDatabase } from '@carton/runtime';

const record = (name: string) => (db: TenantDatabase, event: DeliveredEvent) =>
  db.query(
    `insert into recorded_events (tenant_id, id, subscriber, event_id, resource_id, delivery_id, attempt)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [newId(), name, event.id, event.resource.id, event.deliveryId, event.attempt],
  );

const once = 'recorder.once';
const outsideTransaction = 'recorder.in-steps';

export default definePackage({
  routes: [],
  subscribers: [
    subscriber({ name: once, events: 'all', handle: record(once) }),
    subscriber({
      name: outsideTransaction,
      events: 'all',
      outsideTransaction: true,
      handle: record(outsideTransaction),
    }),
  ],
});

/**
 * What every change of a parcel records: an entry in the timeline of its order, and an event.
 */
import { addTimelineEntry, type TimelineType } from '@carton/order';
import { publish, type TenantDatabase } from '@carton/runtime';
import { fulfillmentCanceled, fulfillmentCreated, fulfillmentDelivered, fulfillmentShipped } from './events.ts';
import type { Fulfillment } from './schemas.ts';

const events = {
  created: fulfillmentCreated,
  shipped: fulfillmentShipped,
  delivered: fulfillmentDelivered,
  canceled: fulfillmentCanceled,
};

export const timelineTypes: readonly TimelineType[] = [
  { type: 'fulfillment.created', label: 'Parcel created' },
  { type: 'fulfillment.shipped', label: 'Shipped', erased: 'Shipped' },
  { type: 'fulfillment.delivered', label: 'Delivered' },
  { type: 'fulfillment.canceled', label: 'Parcel canceled' },
];

/** @param more for staff: `Restocked` */
export async function record(
  tx: TenantDatabase,
  change: keyof typeof events,
  parcel: Fulfillment,
  more?: string,
): Promise<void> {
  const { id, orderId, orderNumber, number, status, items, tracking } = parcel;
  const units = items.map(({ quantity, title }) => `${quantity} × ${title}`).join(', ');
  const carriers = tracking.map((each) => `${each.carrier} ${each.number}`).join(', ');
  const parts = [`Parcel ${number} ${change}: ${units}`, change === 'shipped' ? carriers : '', more ?? ''];
  await addTimelineEntry(tx, orderId, `fulfillment.${change}`, parts.filter((part) => part !== '').join('. '));
  const lines = items.map(({ lineItemId, quantity }) => ({ lineItemId, quantity }));
  const payload = { orderId, orderNumber, number, status, items: lines };
  await publish(tx, events[change], { type: 'fulfillment', id }, payload);
}

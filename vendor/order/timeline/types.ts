/**
 * The types of entries in the timeline of orders.
 */
import { extensionPoint, type HasExtensions } from '@carton/runtime';

/** A type of entry in the timeline of an order. */
export interface TimelineType {
  /** Stable; by convention `<package>` or `<package>.<verb>`. */
  readonly type: string;
  /** Shown to staff. */
  readonly label: string;
  /** Takes the place of messages that may hold personal data, when the person is erased. */
  readonly erased?: string;
}

/**
 * Extension point where packages declare the types of their timeline entries.
 * @example definePackage({ extends: [orderTimelineTypes.with({ type: 'fulfillment.shipped', label: 'Shipped' })] });
 */
export const orderTimelineTypes = extensionPoint<TimelineType>('order.timeline-types');

/** Of the entry with which an order is placed, at once or later. */
export const placedMessage = 'Order placed';

const ownTypes: readonly TimelineType[] = [
  { type: 'pending', label: 'Waiting for payment' },
  { type: 'placed', label: 'Placed' },
  { type: 'updated', label: 'Changed' },
  { type: 'canceled', label: 'Canceled', erased: 'Canceled' },
  { type: 'archived', label: 'Archived' },
  { type: 'unarchived', label: 'Unarchived' },
  { type: 'note', label: 'Note', erased: 'Erased' },
  { type: 'payment', label: 'Payment' },
  { type: 'units', label: 'Units canceled', erased: 'Units canceled' },
];

/** The types of a box. */
export function typesIn(box: HasExtensions): TimelineType[] {
  return [...ownTypes, ...orderTimelineTypes.of(box)];
}

/** The types whose messages never hold personal data; not those of packages that are no longer mounted. */
export function impersonalTypes(box: HasExtensions): string[] {
  return typesIn(box).flatMap(({ type, erased }) => (erased === undefined ? [type] : []));
}

/** By type, what takes the place of messages that may hold personal data. Default: `Erased`. */
export function erasedMessages(box: HasExtensions): Record<string, string> {
  return Object.fromEntries(
    typesIn(box).flatMap(({ type, erased }): [string, string][] => (erased === undefined ? [] : [[type, erased]])),
  );
}

/** The label of a type; the type itself if its package is no longer mounted. */
export function labelOf(box: HasExtensions, type: string): string {
  return typesIn(box).find((known) => known.type === type)?.label ?? type;
}

/**
 * The timeline of orders: the types of its entries, and writing them.
 */
import { extensionPoint, type HasExtensions, object, type TenantDatabase, Type } from '@carton/runtime';
import { OrderEvent } from '../schemas.ts';
import { insertOrderEvent } from '../store.ts';

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

function typesIn(box: HasExtensions): TimelineType[] {
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

/**
 * Adds an entry to the timeline of an order. Its actor is that of `tx`, or the system.
 * @param type declared by a package of the box (`orderTimelineTypes`)
 * @param message for staff, one line: `2 of 3 shipped with UPS`
 * @throws Error for an undeclared type
 */
export async function addTimelineEntry(
  tx: TenantDatabase,
  orderId: string,
  type: string,
  message: string,
): Promise<void> {
  if (!typesIn(tx).some((known) => known.type === type)) throw new Error(`no package declares the type ${type}`);
  await insertOrderEvent(tx, orderId, type, message);
}

/** The schema of an entry in a box, whose description lists the types. */
export function orderEventSchemaOf(box: HasExtensions): typeof OrderEvent {
  const known = typesIn(box).map(({ type }) => `\`${type}\``);
  const type = Type.String({
    description: `Not an enumeration; types of this box: ${known.join(', ')}`,
    examples: ['placed'],
  });
  return object(
    { ...OrderEvent.properties, type },
    { $id: OrderEvent.$id as string, description: OrderEvent.description },
  );
}

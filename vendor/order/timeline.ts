/**
 * The history of orders: what packages write into it, and what an entry is called.
 */
import { extensionPoint, type HasExtensions, object, type TenantDatabase, Type } from '@carton/runtime';
import { OrderEvent } from './schemas.ts';
import { insertOrderEvent } from './store.ts';

/** A kind of entry in the history of an order. */
export interface TimelineType {
  /** Stable, for programs: by custom `<package>` or `<package>.<what>`. */
  readonly type: string;
  /** For people. */
  readonly label: string;
}

/**
 * Where packages declare the types of what they write into the history of orders.
 * @example definePackage({ extends: [orderTimelineTypes.with({ type: 'fulfillment.shipped', label: 'Shipped' })] });
 */
export const orderTimelineTypes = extensionPoint<TimelineType>('order.timeline-types');

const ownTypes: readonly TimelineType[] = [
  { type: 'placed', label: 'Placed' },
  { type: 'updated', label: 'Changed' },
  { type: 'canceled', label: 'Canceled' },
  { type: 'archived', label: 'Archived' },
  { type: 'note', label: 'Note' },
  { type: 'payment', label: 'Payment' },
];

function typesIn(box: HasExtensions): TimelineType[] {
  return [...ownTypes, ...orderTimelineTypes.of(box)];
}

/** What an entry is called; its type where the package that wrote it is not mounted any more. */
export function labelOf(box: HasExtensions, type: string): string {
  return typesIn(box).find((known) => known.type === type)?.label ?? type;
}

/**
 * Writes an entry into the history of an order, by whoever acts in `tx` or else by the system.
 * @param type one that a package of the box declares (`orderTimelineTypes`)
 * @param message for staff, of one line: `2 of 3 shipped with UPS`
 * @throws Error for a type that nobody declares
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

/** An entry as a box answers it: the types it may have are named. */
export function orderEventSchemaOf(box: HasExtensions): typeof OrderEvent {
  const known = typesIn(box).map(({ type }) => `\`${type}\``);
  const type = Type.String({ description: `Open: ${known.join(', ')}`, examples: ['placed'] });
  return object(
    { ...OrderEvent.properties, type },
    { $id: OrderEvent.$id as string, description: OrderEvent.description },
  );
}

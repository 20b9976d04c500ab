/**
 * Schemas of the timeline of orders.
 */
import { ActedBy, DateTime, type HasExtensions, object, pageOf, type Static, Type, Uuid } from '@carton/runtime';
import { typesIn } from './types.ts';

export const OrderEvent = object(
  {
    id: Uuid,
    type: Type.String({ examples: ['placed'] }),
    label: Type.String({ description: 'Label of the type', examples: ['Placed'] }),
    message: Type.String({ examples: ['Order placed'] }),
    actor: ActedBy,
    createdAt: DateTime,
  },
  { $id: 'OrderEvent', description: 'An entry in the timeline of an order' },
);
export type OrderEvent = Static<typeof OrderEvent>;
export const OrderEventPage = pageOf(OrderEvent, 'OrderEventPage');

export const AddOrderNote = object(
  { note: Type.String({ minLength: 1, maxLength: 5000, examples: ['Called, will pick up on Friday'] }) },
  { $id: 'AddOrderNote' },
);

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

/**
 * Events of inventory. A sale is told by the event of its order; stock tells what no other event does.
 */
import { DateTime, defineEvent, nullable, object, Type, Uuid } from '@carton/runtime';

const reserved = {
  reference: object({ type: Type.String(), id: Uuid }),
  lines: Type.Array(object({ variantId: Uuid, quantity: Type.Integer() })),
};

export const stockAdjusted = defineEvent({
  type: 'stock.adjusted',
  summary: 'Staff added or took away stock',
  payload: object({
    variantId: Uuid,
    quantity: Type.Integer(),
    reason: Type.String(),
    locationId: Uuid,
    onHand: Type.Integer(),
    available: Type.Integer(),
  }),
});
export const stockLow = defineEvent({
  type: 'stock.low',
  summary: 'Stock fell to or under its low-stock level',
  payload: object({ variantId: Uuid, available: Type.Integer(), lowStockLevel: Type.Integer() }),
});
export const stockReserved = defineEvent({
  type: 'stock.reserved',
  summary: 'Stock was held for somebody, in place of what was held under the same reference',
  payload: object({ ...reserved, endsAt: nullable(DateTime) }),
});
export const stockReleased = defineEvent({
  type: 'stock.released',
  summary: 'Stock that was held is free again',
  payload: object(reserved),
});

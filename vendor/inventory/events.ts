/**
 * Events of inventory. A sale is told by the event of its order; stock tells what no other event does.
 */
import { defineEvent, object, Type, Uuid } from '@carton/runtime';

const Reserved = object({
  reference: object({ type: Type.String(), id: Uuid }),
  lines: Type.Array(object({ variantId: Uuid, quantity: Type.Integer() })),
});

export const stockAdjusted = defineEvent({
  type: 'stock.adjusted',
  summary: 'Staff added or took away stock',
  payload: object({
    variantId: Uuid,
    quantity: Type.Integer(),
    reason: Type.String(),
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
  summary: 'Stock was held for somebody',
  payload: Reserved,
});
export const stockReleased = defineEvent({
  type: 'stock.released',
  summary: 'Stock that was held is free again',
  payload: Reserved,
});

/**
 * Events of inventory. Sales have no event here, since the event of the order covers them.
 */
import { DateTime, defineEvent, nullable, object, oneOf, Type, Uuid } from '@carton/runtime';
import { adjustmentReasons } from './items/schemas.ts';

const reserved = {
  reference: object({ type: Type.String(), id: Uuid }),
  lines: Type.Array(object({ variantId: Uuid, quantity: Type.Integer() })),
};

export const stockAdjusted = defineEvent({
  type: 'stock.adjusted',
  summary: 'Staff added or removed stock',
  payload: object({
    variantId: Uuid,
    quantity: Type.Integer(),
    reason: oneOf(adjustmentReasons),
    locationId: Uuid,
    onHand: Type.Integer(),
    available: Type.Integer(),
  }),
});
export const stockRanLow = defineEvent({
  type: 'stock.ran_low',
  summary: 'The available quantity fell to the low-stock level or below',
  payload: object({ variantId: Uuid, available: Type.Integer(), lowStockLevel: Type.Integer() }),
  formerly: [{ type: 'stock.low' }],
});
export const stockReserved = defineEvent({
  type: 'stock.reserved',
  summary: 'Stock was reserved, replacing the earlier reservation of the same reference',
  payload: object({ ...reserved, endsAt: nullable(DateTime) }),
});
export const stockReleased = defineEvent({
  type: 'stock.released',
  summary: 'Reserved stock was released',
  payload: object(reserved),
});

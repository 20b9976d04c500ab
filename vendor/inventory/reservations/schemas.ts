/**
 * Schemas of reservations for staff.
 */
import { DateTime, nullable, object, pageOf, pageQuery, type Static, Type, Uuid, withOptions } from '@carton/runtime';
import { LocationId } from '../items/schemas.ts';

export const StockReservation = object(
  {
    id: Uuid,
    stockItemId: Uuid,
    locationId: LocationId,
    quantity: Type.Integer({ minimum: 1 }),
    referenceType: Type.String({
      description: 'Type of the resource that the stock is reserved for',
      examples: ['draft_order'],
    }),
    referenceId: Uuid,
    endsAt: nullable(
      withOptions(DateTime, {
        description:
          'When the reservation expires; its stock is released soon after. Null: it lasts until it is released',
      }),
    ),
    createdAt: DateTime,
  },
  { $id: 'StockReservation' },
);
export type StockReservation = Static<typeof StockReservation>;
export const StockReservationPage = pageOf(StockReservation, 'StockReservationPage');
export const StockReservationQuery = pageQuery({
  stockItemId: Type.Optional(Uuid),
  referenceId: Type.Optional(Uuid),
});
export type StockReservationQuery = Static<typeof StockReservationQuery>;

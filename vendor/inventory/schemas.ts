/**
 * Shapes of stock as staff see it, and of availability as shoppers do.
 */
import {
  changeOf,
  DateTime,
  externalFields,
  integrationPageOf,
  integrationQuery,
  nullable,
  object,
  oneOf,
  pageOf,
  pageQuery,
  type Static,
  Type,
  timestamps,
  Uuid,
} from '@carton/runtime';

/** Why stock moved. A sale is written by the sale itself, never by hand. */
export const reasons = ['received', 'sold', 'returned', 'corrected', 'damaged', 'lost'] as const;
const adjustmentReasons = ['received', 'returned', 'corrected', 'damaged', 'lost'] as const;

export const backOrderPolicies = ['deny', 'allow'] as const;
export const availabilities = ['in_stock', 'back_orderable', 'out_of_stock'] as const;

/** How many can be had, without telling exactly. */
export const buckets = ['0', '1-9', '10+'] as const;

const Quantity = Type.Integer({ minimum: -2_147_483_648, maximum: 2_147_483_647, examples: [12] });
const BackOrderPolicy = oneOf(backOrderPolicies, {
  description: 'Whether more may be sold than there is',
  examples: ['deny'],
});
const LowStockLevel = Type.Integer({
  minimum: 0,
  maximum: 1_000_000_000,
  description: 'Stock is low at this many or fewer',
  examples: [5],
});

export const VariantAvailability = object(
  {
    variantId: Uuid,
    status: oneOf(availabilities),
    quantity: nullable(oneOf(buckets, { description: 'About how many there are; null when they are not counted' })),
  },
  { $id: 'VariantAvailability', examples: [{ variantId: Uuid.examples[0], status: 'in_stock', quantity: '10+' }] },
);

const LocationId = { ...Uuid, description: "The location; the nil UUID is the shop's default one" };

/** What there is of an item at one location. */
const StockLevel = object(
  { locationId: LocationId, onHand: Quantity, reserved: Quantity, available: Quantity },
  { $id: 'StockLevel' },
);

export const StockItem = object(
  {
    id: { ...Uuid, description: "The same as the variant's" },
    variantId: Uuid,
    sku: nullable(Type.String({ examples: ['LINEN-M'] })),
    variantTitle: Type.String({ examples: ['M'] }),
    productTitle: Type.String({ examples: ['Linen shirt'] }),
    tracked: Type.Boolean({ description: 'False for what is never out of stock and not counted as it is sold' }),
    backOrderPolicy: BackOrderPolicy,
    lowStockLevel: LowStockLevel,
    onHand: { ...Quantity, description: 'There to be sold or reserved; below zero, so many are owed' },
    reserved: { ...Quantity, description: 'Of those on hand, held for somebody' },
    available: { ...Quantity, description: 'onHand less reserved' },
    levels: Type.Array(StockLevel, { description: 'The same for each location that keeps it' }),
    ...externalFields,
    ...timestamps,
  },
  { $id: 'StockItem' },
);
export type StockItem = Static<typeof StockItem>;
export const StockItemPage = integrationPageOf(StockItem, 'StockItemPage');

export const StockItemQuery = integrationQuery({
  variantId: Type.Optional(Uuid),
  low: Type.Optional(
    Type.Boolean({ description: 'True: only tracked items at or under their low-stock level; false: all others' }),
  ),
});
export type StockItemQuery = Static<typeof StockItemQuery>;

export const ChangeStockItem = changeOf(
  { tracked: Type.Boolean(), backOrderPolicy: BackOrderPolicy, lowStockLevel: LowStockLevel, ...externalFields },
  { $id: 'ChangeStockItem' },
);
export type ChangeStockItem = Static<typeof ChangeStockItem>;

export const StockMovement = object(
  {
    id: Uuid,
    stockItemId: Uuid,
    locationId: LocationId,
    quantity: { ...Quantity, description: 'What was added, or below zero what was taken away' },
    reason: oneOf(reasons),
    referenceType: nullable(Type.String({ description: 'What it was moved for', examples: ['order'] })),
    referenceId: nullable(Uuid),
    note: nullable(Type.String({ examples: ['Delivery note 4711'] })),
    actorId: nullable({ ...Uuid, description: 'The member of staff, when one moved it by hand' }),
    actorLabel: nullable(Type.String({ examples: ['ada@example.com'] })),
    createdAt: DateTime,
  },
  { $id: 'StockMovement' },
);
export type StockMovement = Static<typeof StockMovement>;
export const StockMovementPage = pageOf(StockMovement, 'StockMovementPage');
export const StockMovementQuery = pageQuery({ reason: Type.Optional(oneOf(reasons)) });

export const AdjustStock = object(
  {
    quantity: Type.Integer({
      minimum: -1_000_000_000,
      maximum: 1_000_000_000,
      not: { const: 0 },
      description: 'How many to add, or below zero to take away',
      examples: [24],
    }),
    reason: oneOf(adjustmentReasons, { examples: ['received'] }),
    note: Type.Optional(Type.String({ minLength: 1, maxLength: 500, examples: ['Delivery note 4711'] })),
    locationId: Type.Optional({ ...Uuid, description: "A location that keeps it; left out, the shop's default one" }),
  },
  { $id: 'AdjustStock' },
);
export type AdjustStock = Static<typeof AdjustStock>;

export const StockAdjustment = object({ movement: StockMovement, stockItem: StockItem }, { $id: 'StockAdjustment' });

export const StockReservation = object(
  {
    id: Uuid,
    stockItemId: Uuid,
    locationId: LocationId,
    quantity: Type.Integer({ minimum: 1 }),
    referenceType: Type.String({ description: 'What it is held for', examples: ['draft_order'] }),
    referenceId: Uuid,
    endsAt: nullable({
      ...DateTime,
      description: 'When it ends by itself, soon after which it is free; null while it stands until it is released',
    }),
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

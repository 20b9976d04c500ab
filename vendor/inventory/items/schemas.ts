/**
 * Schemas of stock items, their movements and adjustments.
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
  withOptions,
} from '@carton/runtime';

/** Reasons of movements. `sold` is written only by sales, never by hand. */
export const reasons = ['received', 'sold', 'returned', 'corrected', 'damaged', 'lost'] as const;
export const adjustmentReasons = ['received', 'returned', 'corrected', 'damaged', 'lost'] as const;

export const backOrderPolicies = ['deny', 'allow'] as const;
const Quantity = Type.Integer({ minimum: -2_147_483_648, maximum: 2_147_483_647, examples: [12] });
const BackOrderPolicy = oneOf(backOrderPolicies, {
  description: 'Whether more units may be sold than are in stock',
  examples: ['deny'],
});
const LowStockLevel = Type.Integer({
  minimum: 0,
  maximum: 1_000_000_000,
  description: 'Stock is low at this available quantity or below',
  examples: [5],
});

export const LocationId = withOptions(Uuid, {
  description: "The location; the nil UUID is the store's default location",
});

/** The stock of an item at one location. */
const StockLevel = object(
  { locationId: LocationId, onHand: Quantity, reserved: Quantity, available: Quantity },
  { $id: 'StockLevel' },
);

export const StockItem = object(
  {
    id: withOptions(Uuid, { description: "The variant's id" }),
    variantId: Uuid,
    sku: nullable(Type.String({ examples: ['LINEN-M'] })),
    variantTitle: Type.String({ examples: ['M'] }),
    productTitle: Type.String({ examples: ['Linen shirt'] }),
    tracked: Type.Boolean({ description: 'False for items that are never out of stock and not counted' }),
    backOrderPolicy: BackOrderPolicy,
    lowStockLevel: LowStockLevel,
    onHand: withOptions(Quantity, {
      description: 'Units in stock, including reserved ones; if negative, units owed to shoppers',
    }),
    reserved: withOptions(Quantity, { description: 'Units on hand that are reserved' }),
    available: withOptions(Quantity, { description: '`onHand` less `reserved`' }),
    levels: Type.Array(StockLevel, { description: 'Quantities by location' }),
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
    Type.Boolean({ description: 'True: only tracked items at or below their low-stock level; false: all others' }),
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
    quantity: withOptions(Quantity, { description: 'Units added or, if negative, removed' }),
    reason: oneOf(reasons),
    referenceType: nullable(
      Type.String({ description: 'Type of the resource that caused the movement', examples: ['order'] }),
    ),
    referenceId: nullable(Uuid),
    note: nullable(Type.String({ examples: ['Delivery note 4711'] })),
    actorId: nullable(withOptions(Uuid, { description: 'The staff user, for adjustments' })),
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
      description: 'Units to add or, if negative, to remove',
      examples: [24],
    }),
    reason: oneOf(adjustmentReasons, { examples: ['received'] }),
    note: Type.Optional(Type.String({ minLength: 1, maxLength: 500, examples: ['Delivery note 4711'] })),
    locationId: Type.Optional(
      withOptions(Uuid, { description: "A location that stocks the item; default: the store's default location" }),
    ),
  },
  { $id: 'AdjustStock' },
);
export type AdjustStock = Static<typeof AdjustStock>;

export const StockAdjustment = object({ movement: StockMovement, stockItem: StockItem }, { $id: 'StockAdjustment' });

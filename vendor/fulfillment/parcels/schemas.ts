/**
 * Schemas of parcels, for staff and for members.
 */
import {
  changeOf,
  DateTime,
  externalFields,
  integrationPageOf,
  integrationQuery,
  newExternalFields,
  nullable,
  object,
  oneOf,
  type Static,
  Type,
  Uuid,
  withOptions,
} from '@carton/runtime';
import { NewTracking, Tracking } from '../tracking/schemas.ts';
import { fulfillmentStatuses } from './states.ts';

const Status = oneOf(fulfillmentStatuses, {
  description:
    '`pending`: to be packed; `shipped`: on its way, or ready to be picked up; `delivered`; `canceled` before it was shipped',
  examples: ['shipped'],
});
const Quantity = Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Units', examples: [2] });

const Item = {
  lineItemId: withOptions(Uuid, { description: 'The item of the order' }),
  title: Type.String({ examples: ['Linen shirt'] }),
  variantTitle: nullable(Type.String({ examples: ['M'] })),
  sku: nullable(Type.String({ examples: ['LINEN-M'] })),
  quantity: Quantity,
};
const FulfillmentItem = object(Item, { $id: 'FulfillmentItem', description: 'Units of an item of the order' });

const ShippingMethod = object(
  {
    optionId: Uuid,
    profile: nullable(Type.String({ description: 'Null for the default profile', examples: ['bulky'] })),
    name: Type.String({ examples: ['Standard shipping'] }),
    type: Type.String({ examples: ['flat'] }),
  },
  { $id: 'FulfillmentShippingMethod', description: 'The shipping option that the shopper chose for the goods' },
);

const shown = {
  id: Uuid,
  number: Type.Integer({ minimum: 1, description: 'Counts the parcels of the order', examples: [1] }),
  status: Status,
  shippingMethod: nullable(ShippingMethod),
  items: Type.Array(FulfillmentItem),
  tracking: Type.Array(Tracking),
  createdAt: DateTime,
  shippedAt: nullable(DateTime),
  deliveredAt: nullable(DateTime),
};

export const Fulfillment = object(
  {
    ...shown,
    orderId: Uuid,
    orderNumber: Type.String({ examples: ['1001'] }),
    restocked: Type.Boolean({ description: 'Whether the cancellation returned the items to stock' }),
    canceledAt: nullable(DateTime),
    ...externalFields,
    updatedAt: DateTime,
  },
  { $id: 'Fulfillment', description: 'A parcel of an order' },
);
export type Fulfillment = Static<typeof Fulfillment>;
export const FulfillmentPage = integrationPageOf(Fulfillment, 'FulfillmentPage');

export const MemberFulfillments = object(
  { items: Type.Array(object(shown, { $id: 'MemberFulfillment', description: 'A parcel of an order' })) },
  { $id: 'MemberFulfillments' },
);

export const FulfillmentQuery = integrationQuery({
  status: Type.Optional(Status),
  orderId: Type.Optional(Uuid),
  shippingOptionId: Type.Optional(withOptions(Uuid, { description: 'The shipping option that the shopper chose' })),
  shippingProfile: Type.Optional(
    Type.String({ minLength: 1, maxLength: 60, description: 'Code of the profile of the goods', examples: ['bulky'] }),
  ),
  createdFrom: Type.Optional(withOptions(DateTime, { description: 'Created at this time or later' })),
  createdTo: Type.Optional(withOptions(DateTime, { description: 'Created before this time' })),
});
export type FulfillmentQuery = Static<typeof FulfillmentQuery>;

export const CreateFulfillment = object(
  {
    items: Type.Optional(
      Type.Array(object({ lineItemId: Uuid, quantity: Quantity }, { $id: 'NewFulfillmentItem' }), {
        minItems: 1,
        maxItems: 1000,
        description: 'By default all units that are left to ship',
      }),
    ),
    shippingProfile: Type.Optional(
      nullable(
        Type.String({
          maxLength: 60,
          description:
            'Names the shipping option of the parcel by the profile of its goods, null for the default profile; needed if the order has several',
        }),
      ),
    ),
    tracking: Type.Optional(NewTracking),
    ...newExternalFields,
  },
  { $id: 'CreateFulfillment' },
);
export type CreateFulfillment = Static<typeof CreateFulfillment>;

export const ChangeFulfillment = changeOf({ tracking: NewTracking, ...externalFields }, { $id: 'ChangeFulfillment' });
export type ChangeFulfillment = Static<typeof ChangeFulfillment>;

export const ShipFulfillment = object(
  { tracking: Type.Optional(NewTracking) },
  { $id: 'ShipFulfillment', description: 'Tracking numbers, unless they are set already' },
);
export type ShipFulfillment = Static<typeof ShipFulfillment>;

export const CancelFulfillment = object(
  {
    restock: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          'Whether the items return to stock, for anyone to buy. With false the order keeps them, to be packed again',
      }),
    ),
  },
  { $id: 'CancelFulfillment' },
);
export type CancelFulfillment = Static<typeof CancelFulfillment>;

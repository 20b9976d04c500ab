/**
 * @carton/fulfillment: the parcels of orders, from picking to delivery.
 */
import { orderCancelers, orderRefundListeners, orderTimelineTypes } from '@carton/order';
import { definePackage, mailTemplates, personalData } from '@carton/runtime';
import { deliveredMail, shippedMail } from './mails.ts';
import { readFulfillmentPackingList } from './packing-list/routes.ts';
import { fulfillmentCanceled, fulfillmentCreated, fulfillmentDelivered, fulfillmentShipped } from './parcels/events.ts';
import { cancelParcels, followRefunds } from './parcels/order-hooks.ts';
import { timelineTypes } from './parcels/record.ts';
import {
  adminFulfillments,
  cancelFulfillment,
  createFulfillment,
  deliverFulfillment,
  listMemberFulfillments,
  shipFulfillment,
} from './parcels/routes.ts';
import { personalFulfillments } from './persons.ts';
import { returnRefundedStock } from './units/restocking.ts';

export { fulfillmentCanceled, fulfillmentCreated, fulfillmentDelivered, fulfillmentShipped } from './parcels/events.ts';

export default definePackage({
  routes: [
    listMemberFulfillments,
    ...adminFulfillments,
    createFulfillment,
    shipFulfillment,
    deliverFulfillment,
    cancelFulfillment,
    readFulfillmentPackingList,
  ],
  events: [fulfillmentCreated, fulfillmentShipped, fulfillmentDelivered, fulfillmentCanceled],
  subscribers: [returnRefundedStock],
  extends: [
    ...timelineTypes.map((type) => orderTimelineTypes.with(type)),
    orderCancelers.with(cancelParcels),
    orderRefundListeners.with(followRefunds),
    mailTemplates.with(shippedMail),
    mailTemplates.with(deliveredMail),
    personalData.with(personalFulfillments),
  ],
});

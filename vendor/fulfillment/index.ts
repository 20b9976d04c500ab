/**
 * @carton/fulfillment: the parcels of orders, from picking to delivery.
 */
import { orderCancelers, orderRefundListeners, orderTimelineTypes } from '@carton/order';
import { definePackage, mailTemplates, personalData } from '@carton/runtime';
import { fulfillmentCanceled, fulfillmentCreated, fulfillmentDelivered, fulfillmentShipped } from './events.ts';
import { deliveredMail, shippedMail } from './mails.ts';
import { cancelParcels, followRefunds } from './order-hooks.ts';
import { personalFulfillments } from './persons.ts';
import { timelineTypes } from './record.ts';
import { returnRefundedStock } from './restocking.ts';
import {
  adminFulfillments,
  cancelFulfillment,
  createFulfillment,
  deliverFulfillment,
  readFulfillmentPackingList,
  shipFulfillment,
} from './routes/admin.ts';
import { listMemberFulfillments } from './routes/member.ts';

export { fulfillmentCanceled, fulfillmentCreated, fulfillmentDelivered, fulfillmentShipped } from './events.ts';
export type { Fulfillment } from './schemas.ts';
export { readFulfillment } from './service.ts';

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

/**
 * @carton/order: orders, their timeline and their states.
 */
import { storeSettingsGroups } from '@carton/core';
import { definePackage, emailProofs, job, mailTemplates, personalData } from '@carton/runtime';
import {
  orderCanceled,
  orderChargesChanged,
  orderLookupRequested,
  orderPaymentDue,
  orderPending,
  orderPlaced,
  orderUnitsCanceled,
  orderUpdated,
} from './events.ts';
import { orderLinkMail } from './link-mail.ts';
import { orderCanceledMail, orderPlacedMail, paymentDueMail } from './mails.ts';
import { cancelOverdue, remindUnpaid } from './overdue.ts';
import { claimOrders, personalOrders } from './persons.ts';
import { lookUpOrder, openOrder } from './routes/lookup.ts';
import { cancelMemberOrder, listMemberOrders, readMemberOrder } from './routes/member.ts';
import { adminOrders, archiveOrder, cancelOrder, unarchiveOrder } from './routes/orders.ts';
import { addOrderNote, listOrderTimeline } from './routes/timeline.ts';
import { orderSettings } from './settings.ts';
import { forgetExpiredLinks } from './sweep.ts';

export { addressLines } from './address-lines.ts';
export { writtenAddress } from './addresses.ts';
export { ReportedAttribution, storedAttribution } from './attribution.ts';
export { balanceOf, chargedOf, isRefundedInFull, type OrderAmounts, refundedChargeOf } from './balance.ts';
export {
  type AmountWithTax,
  type Charge,
  type ChargedRows,
  type ChargeInParts,
  chargedRowsOf,
  chargesOf,
  feeSource,
  refundOf,
  refundOfAmount,
  shareRefund,
} from './charges.ts';
export {
  createOrder,
  type OrderAdjustmentDraft,
  type OrderDraft,
  type OrderLineDraft,
} from './draft.ts';
export {
  isPlacedUnpaid,
  orderCanceled,
  orderChargesChanged,
  orderOfEvent,
  orderPlaced,
  orderUnitsCanceled,
} from './events.ts';
export { cancelFreeUnits, type FreeUnits } from './free-units.ts';
export { openOrderLink, orderLinkUnknown } from './links.ts';
export { greeting, MailedOrder, mailToShopper, paymentDueMail, sampleOrder } from './mails.ts';
export { cancelOverdue, type DuePending, findDuePending, remindUnpaid } from './overdue.ts';
export { pageWords } from './page-words.ts';
export { type PaymentNotice, paymentNotices, paymentNoticesOf } from './payment-notices.ts';
export { isPlacedBy, maskOrder, type Order } from './present.ts';
export { type ChargeReplacement, type NewCharge, type NewTax, replaceCharges } from './recharging.ts';
export {
  alreadyRefunded,
  lockOrderForRefund,
  type OrderRefundListener,
  orderRefundListeners,
  partsOfOrder,
  partsOfRefunds,
  planRefund,
  planRefundOfAmount,
  type RefundPlan,
  type RefundRequest,
  recordRefund,
  reverseRefund,
} from './refunds.ts';
export {
  AddressOrNull,
  OrderAddress,
  OrderAttribution,
  OrderResource,
  type PaymentStatus,
  Phone,
  TermsVersion,
} from './schemas.ts';
export {
  addPaymentNote,
  cancelPending,
  changeFulfillmentStatus,
  changePaymentState,
  findOrder,
  findOrderOfCart,
  listOwnOrders,
  type OrderCanceler,
  orderCancelers,
  type PaymentState,
  placePending,
  unknownOrder,
} from './service.ts';
export { moveOrdersOfCarts } from './sessions.ts';
export {
  type EntryActor,
  findUnplaced,
  hasOrdered,
  holdPayBy,
  holdsUnpaidStock,
  lockOrder,
  type OrderState,
  orderWithStock,
  returnPayBy,
} from './store.ts';
export { addTimelineEntry, orderTimelineTypes, type TimelineType } from './timeline.ts';
export {
  type OrderStates,
  orderAlreadyCanceled,
  orderAwaitsPayment,
  orderFulfillmentStarted,
  orderStates,
  orderTransitionIllegal,
  requireTransition,
  type Transition,
  transitions,
} from './transitions.ts';
export { addRestocked, findOrderUnits, heldUnitsOf, lockOrderLines, type OrderUnits } from './units.ts';

export default definePackage({
  routes: [
    ...adminOrders,
    cancelOrder,
    archiveOrder,
    unarchiveOrder,
    listOrderTimeline,
    addOrderNote,
    listMemberOrders,
    readMemberOrder,
    cancelMemberOrder,
    lookUpOrder,
    openOrder,
  ],
  events: [
    orderPending,
    orderPlaced,
    orderUpdated,
    orderChargesChanged,
    orderPaymentDue,
    orderCanceled,
    orderUnitsCanceled,
    orderLookupRequested,
  ],
  jobs: [
    job({ name: 'order.cancel-overdue', everySeconds: 60, run: cancelOverdue }),
    job({ name: 'order.remind-unpaid', everySeconds: 600, run: remindUnpaid }),
    forgetExpiredLinks,
  ],
  extends: [
    personalData.with(personalOrders),
    emailProofs.with(claimOrders),
    mailTemplates.with(orderPlacedMail),
    mailTemplates.with(paymentDueMail),
    mailTemplates.with(orderCanceledMail),
    mailTemplates.with(orderLinkMail),
    storeSettingsGroups.with(orderSettings),
  ],
});

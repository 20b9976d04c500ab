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
import { orderLinkMail } from './links/mails.ts';
import { lookUpOrder, openOrder } from './links/routes.ts';
import { orderSettings } from './links/settings.ts';
import { forgetExpiredLinks } from './links/sweep.ts';
import { orderCanceledMail, orderPlacedMail, paymentDueMail } from './notices/mails.ts';
import { cancelMemberOrder, listMemberOrders, readMemberOrder } from './owners/routes.ts';
import { claimOrders, personalOrders } from './persons.ts';
import { adminOrders, archiveOrder, cancelOrder, unarchiveOrder } from './routes.ts';
import { cancelOverdue, remindUnpaid } from './states/overdue.ts';
import { addOrderNote, listOrderTimeline } from './timeline/routes.ts';

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
} from './charges/amounts.ts';
export { balanceOf, chargedOf, isRefundedInFull, type OrderAmounts, refundedChargeOf } from './charges/balance.ts';
export { type ChargeReplacement, type NewCharge, type NewTax, replaceCharges } from './charges/service.ts';
export { addressLines } from './details/address-lines.ts';
export { writtenAddress } from './details/addresses.ts';
export { ReportedAttribution, storedAttribution } from './details/attribution.ts';
export {
  isPlacedUnpaid,
  orderCanceled,
  orderChargesChanged,
  orderOfEvent,
  orderPlaced,
  orderUnitsCanceled,
} from './events.ts';
export { openOrderLink, orderLinkUnknown } from './links/service.ts';
export { greeting, MailedOrder, mailToShopper, paymentDueMail, sampleOrder } from './notices/mails.ts';
export { pageWords } from './notices/page-words.ts';
export { type PaymentNotice, paymentNotices, paymentNoticesOf } from './notices/payments.ts';
export { moveOrdersOfCarts } from './owners/store.ts';
export {
  createOrder,
  type OrderAdjustmentDraft,
  type OrderDraft,
  type OrderLineDraft,
} from './placing/service.ts';
export { isPlacedBy, maskOrder, type Order } from './present.ts';
export { cancelFreeUnits, type FreeUnits } from './refunds/free-units.ts';
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
} from './refunds/service.ts';
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
export { cancelOverdue, type DuePending, findDuePending, remindUnpaid } from './states/overdue.ts';
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
} from './states/transitions.ts';
export {
  type EntryActor,
  findUnplaced,
  hasOrdered,
  holdPayBy,
  holdsUnpaidStock,
  lockOrder,
  type OrderState,
  returnPayBy,
} from './store.ts';
export { addTimelineEntry, orderTimelineTypes, type TimelineType } from './timeline/types.ts';
export { addRestocked, findOrderUnits, heldUnitsOf, lockOrderLines, type OrderUnits } from './units/store.ts';

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

/**
 * @carton/order: orders, their timeline and their states.
 */
import { storeSettingsGroups } from '@carton/core';
import { definePackage, emailProofs, job, mailTemplates, personalData } from '@carton/runtime';
import {
  orderCanceled,
  orderCancellationAnnounced,
  orderChargesChanged,
  orderHeld,
  orderPlaced,
  orderUnitsCanceled,
  orderUpdated,
} from './events.ts';
import { orderLookupRequested } from './links/events.ts';
import { orderLinkMail } from './links/mails.ts';
import { lookUpOrder, openOrder } from './links/routes.ts';
import { forgetExpiredLinks } from './links/service.ts';
import { orderSettings } from './links/settings.ts';
import { orderCanceledMail, orderPlacedMail, paymentDueMail } from './notices/mails.ts';
import { cancelMemberOrder, listMemberOrders, readMemberOrder } from './owners/routes.ts';
import { claimOrders } from './owners/store.ts';
import { personalOrders } from './persons.ts';
import { adminOrders, archiveOrder, unarchiveOrder } from './routes.ts';
import { cancelOverdue, remindUnpaid } from './states/overdue.ts';
import { cancelOrder } from './states/routes.ts';
import { addOrderNote, listOrderTimeline } from './timeline/routes.ts';

export {
  type AmountWithTax,
  type Charge,
  type ChargedRows,
  type ChargeInParts,
  chargedRowsOf,
  chargesOf,
  feeSource,
} from './charges/amounts.ts';
export { balanceOf, chargedOf, isRefundedInFull, type OrderAmounts, refundedChargeOf } from './charges/balance.ts';
export { type ChargeReplacement, replaceCharges, replaceRounding } from './charges/service.ts';
export type { NewCharge, NewTax } from './charges/store.ts';
export {
  type ChargedOrder,
  type ChargeTaxer,
  chargeTaxers,
  exemptionSource,
  taxesOfAddedCharge,
} from './charges/taxes.ts';
export { addressLines } from './details/address-lines.ts';
export { writtenAddress } from './details/addresses.ts';
export { storedAttribution } from './details/attribution.ts';
export { ReportedAttribution } from './details/schemas.ts';
export { shownVariantTitle } from './details/variant-titles.ts';
export {
  isPlacedUnpaid,
  orderCanceled,
  orderChargesChanged,
  orderOfEvent,
  orderPlaced,
  orderUnitsCanceled,
} from './events.ts';
export { greeting, MailedOrder, mailToShopper, sampleOrder } from './notices/mailed-order.ts';
export { pageWords } from './notices/page-words.ts';
export { type PaymentNotice, paymentNotices, paymentNoticesOf } from './notices/payments.ts';
export { isPlacedBy, maskOrder } from './owners/masking.ts';
export { listOwnOrders } from './owners/service.ts';
export { moveOrdersOfCarts } from './owners/store.ts';
export type { OrderAdjustmentDraft, OrderDraft, OrderLineDraft } from './placing/drafts.ts';
export { createOrder } from './placing/service.ts';
export type { Order } from './present.ts';
export { cancelFreeUnits, type FreeUnits } from './refunds/free-units.ts';
export { alreadyRefunded } from './refunds/problems.ts';
export {
  lockOrderForRefund,
  type OrderRefundListener,
  orderRefundListeners,
  planRefund,
  planRefundOfAmount,
  type RefundPlan,
  type RefundRequest,
  recordRefund,
  reverseRefund,
} from './refunds/service.ts';
export { refundOf, shareRefund } from './refunds/shares.ts';
export { partsOfOrder, partsOfRefunds } from './refunds/store.ts';
export {
  AddressOrNull,
  OrderAddress,
  OrderAttribution,
  OrderResource,
  type PaymentStatus,
  Phone,
  TermsVersion,
} from './schemas.ts';
export { findOrder, unknownOrder } from './service.ts';
export { cancelPending, type OrderCanceler, orderCancelers } from './states/canceling.ts';
export { orderAlreadyCanceled, orderAwaitsPayment, orderFulfillmentStarted } from './states/problems.ts';
export { changeFulfillmentStatus, changePaymentState, placePending } from './states/service.ts';
export { type DuePending, findDuePending, type PaymentState } from './states/store.ts';
export { type OrderStates, orderStates, type Transition, transitions } from './states/transitions.ts';
export {
  findUnplaced,
  hasOrdered,
  holdPayBy,
  lockOrder,
  type OrderState,
  orderWithStock,
  returnPayBy,
} from './store.ts';
export { addPaymentNote, addTimelineEntry } from './timeline/service.ts';
export type { EntryActor } from './timeline/store.ts';
export { orderTimelineTypes, type TimelineType } from './timeline/types.ts';
export { heldUnitsOf } from './units/service.ts';
export { addRestocked, findOrderUnits, lockOrderLines, type OrderUnits } from './units/store.ts';

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
    orderHeld,
    orderPlaced,
    orderUpdated,
    orderChargesChanged,
    orderCancellationAnnounced,
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

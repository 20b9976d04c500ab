/**
 * @carton/payment: payment adapters, payments of orders, and refunds.
 */
import { cartCleanUps, cartTotals } from '@carton/cart';
import { storeSettingsGroups, storeTasks } from '@carton/core';
import { orderCanceled, orderCancelers, paymentNotices } from '@carton/order';
import { definePackage, job, mailTemplates, personalData, subscriber } from '@carton/runtime';
import { paymentSettings } from './adapters/settings.ts';
import { disputeClosed, disputeOpened } from './disputes/events.ts';
import { disputeClosedMail, disputeOpenedMail } from './disputes/mails.ts';
import { adminDisputes } from './disputes/routes.ts';
import { paymentAuthorized, paymentCaptured, paymentFailed, paymentVoided, refundCreated } from './events.ts';
import { paymentFeeStep } from './fees/charge.ts';
import { roundingSettings } from './fees/rounding.ts';
import { paymentReceivedMail, refundMail } from './mails.ts';
import { noticesOf } from './methods/notices.ts';
import { listAdminPaymentMethods, updatePaymentMethod } from './methods/routes.ts';
import { methodMissing } from './methods/service.ts';
import { openOrderPaymentSession } from './orders/routes.ts';
import { adminPayments, recordPayment } from './payments/routes.ts';
import { personalPayments } from './persons.ts';
import { reconcile } from './reconcile.ts';
import { adminRefunds, cancelOrderUnits, createRefund } from './refunds/routes.ts';
import { listPaymentMethods, openPaymentSession } from './sessions/routes.ts';
import { cartsBeingPaid } from './sessions/store.ts';
import { closeCanceled, closeCanceledPayments } from './steps/cancellation.ts';
import { capturePayment, voidPayment } from './steps/routes.ts';
import { receivePaymentWebhook } from './webhooks/routes.ts';

export {
  type InitiatedPayment,
  isRefusal,
  type PaymentAdapter,
  type PaymentIntent,
  type ProviderEvent,
  type ProviderPayment,
  type ProviderState,
  type ProviderStep,
  type ReportedDispute,
  type StepOutcome,
  type WebhookDelivery,
} from './adapters/adapter.ts';
export { isAdapterNamed, requireAdapter, takesPaymentsOnline } from './adapters/bound.ts';
export {
  paymentMethodUnavailable,
  paymentMethodUnknown,
  paymentProviderFailed,
  paymentRefused,
  webhookSignatureInvalid,
  webhookUnreadable,
} from './adapters/problems.ts';
export { paymentAdapters } from './adapters/settings.ts';
export { disputeClosed, disputeOpened } from './disputes/events.ts';
export { paymentCaptured, refundCreated } from './events.ts';
export { choiceOfMethod } from './fees/charge.ts';
export { format as formatAmount } from './format.ts';
export { findRefusal, isMethodByHand, isMethodOffered, offersPaymentOnline } from './methods/service.ts';
export { OrderPayment } from './payments/schemas.ts';
export { findOrderPayment, lastReceivedAt, paidBesideTenders } from './payments/store.ts';
export { lookUpAwaited } from './reconcile.ts';
export { type OrderRefund, refundOrder, unitsToRestock } from './refunds/service.ts';
export { succeededRefunds } from './refunds/store.ts';
export { PositiveMoney } from './schemas.ts';
export {
  type AbandonedPayment,
  type Payer,
  type PaymentAbandonHook,
  type PaymentStart,
  type PaymentStartHook,
  paymentAbandonHooks,
  paymentStartHooks,
  startHookProblems,
} from './sessions/hooks.ts';
export { startPaymentProblems } from './sessions/problems.ts';
export { abandonPayment } from './sessions/release.ts';
export {
  attachPayment,
  type CartPayment,
  confirmPayment,
  lockStartedPayment,
  type PaymentWait,
  type StartedPayment,
  startPayment,
} from './sessions/service.ts';
export { completePayments } from './steps/service.ts';
export { commitTenders, planTenders, type TenderPlan } from './tenders/service.ts';
export {
  type Tender,
  type TenderOffer,
  type TenderPart,
  type TenderSale,
  tenderNames,
  tenderOrder,
  tenderProblemsIn,
  tenders,
} from './tenders/tender.ts';

export default definePackage({
  routes: [
    listPaymentMethods,
    openPaymentSession,
    openOrderPaymentSession,
    receivePaymentWebhook,
    listAdminPaymentMethods,
    updatePaymentMethod,
    ...adminPayments,
    recordPayment,
    capturePayment,
    voidPayment,
    createRefund,
    cancelOrderUnits,
    ...adminRefunds,
    ...adminDisputes,
  ],
  events: [
    paymentAuthorized,
    paymentCaptured,
    paymentFailed,
    paymentVoided,
    refundCreated,
    disputeOpened,
    disputeClosed,
  ],
  subscribers: [
    subscriber({
      // Refunds too; the name stays, because stored deliveries have it.
      name: 'payment.void-canceled',
      events: [orderCanceled],
      outsideTransaction: true,
      handle: (db, { resource }) => closeCanceled(db, resource.id),
    }),
  ],
  jobs: [job({ name: 'payment.reconcile', everySeconds: 30, run: reconcile })],
  extends: [
    // Closed sessions stay as records of payments, without their cart.
    cartCleanUps.with({ keep: cartsBeingPaid }),
    cartTotals.with(paymentFeeStep),
    storeSettingsGroups.with(roundingSettings),
    storeTasks.with(methodMissing),
    orderCancelers.with(closeCanceledPayments),
    paymentNotices.with(noticesOf),
    personalData.with(personalPayments),
    mailTemplates.with(paymentReceivedMail),
    mailTemplates.with(refundMail),
    mailTemplates.with(disputeOpenedMail),
    mailTemplates.with(disputeClosedMail),
  ],
  settings: paymentSettings,
});

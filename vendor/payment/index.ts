/**
 * @carton/payment: payment adapters, payments of orders, and refunds.
 */
import { cartCleanUps, cartTotals } from '@carton/cart';
import { storeTasks } from '@carton/core';
import { orderCanceled, orderCancelers, paymentNotices } from '@carton/order';
import { definePackage, job, mailTemplates, personalData, subscriber } from '@carton/runtime';
import { paymentSettings } from './adapters/settings.ts';
import { disputeClosedMail, disputeOpenedMail } from './disputes/mails.ts';
import { adminDisputes } from './disputes/routes.ts';
import {
  disputeClosed,
  disputeOpened,
  paymentAuthorized,
  paymentCaptured,
  paymentFailed,
  paymentVoided,
  refundCreated,
} from './events.ts';
import { paymentFeeStep } from './fees/charge.ts';
import { paymentReceivedMail, refundMail } from './mails.ts';
import { noticesOf } from './methods/notices.ts';
import { adminRefunds, listAdminPaymentMethods, updatePaymentMethod } from './methods/routes.ts';
import { methodMissing } from './methods/service.ts';
import {
  adminPayments,
  cancelOrderUnits,
  capturePayment,
  createRefund,
  recordPayment,
  voidPayment,
} from './payments/routes.ts';
import { closeCanceledPayments } from './payments/service.ts';
import { personalPayments } from './persons.ts';
import { closeCanceled, reconcile } from './reconcile.ts';
import {
  listPaymentMethods,
  openOrderPaymentSession,
  openPaymentSession,
  receivePaymentWebhook,
} from './sessions/routes.ts';
import { cartsBeingPaid } from './sessions/store.ts';

export {
  type InitiatedPayment,
  type PaymentAdapter,
  type PaymentIntent,
  type ProviderEvent,
  type ProviderPayment,
  type ProviderState,
  type ProviderStep,
  paymentMethodUnavailable,
  paymentMethodUnknown,
  paymentProviderFailed,
  paymentRefused,
  paymentsNotConfigured,
  type ReportedDispute,
  type StepOutcome,
  type WebhookDelivery,
  webhookSignatureInvalid,
  webhookUnreadable,
} from './adapters/adapter.ts';
export { paymentAdapters, requireAdapter, takesPaymentsOnline } from './adapters/bound.ts';
export { findStripeAccount, type StripeApiAccount } from './adapters/stripe/account.ts';
export { fromStripe, toStripe } from './adapters/stripe/amounts.ts';
export { disputeClosed, disputeOpened, paymentCaptured, refundCreated } from './events.ts';
export { choiceOfMethod } from './fees/charge.ts';
export { type ChargedOrder, type ChargeTaxer, chargeTaxers } from './fees/repricing.ts';
export { findRefusal, isMethodByHand, offersPaymentOnline } from './methods/service.ts';
export { findOrderPayment } from './payments/store.ts';
export { lookUpAwaited, reconcile } from './reconcile.ts';
export { type OrderRefund, refundOrder } from './refunds/service.ts';
export { succeededRefunds, unitsToRestock } from './refunds/store.ts';
export { OrderPayment, PositiveMoney } from './schemas.ts';
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
export { abandonPayment } from './sessions/release.ts';
export {
  attachPayment,
  type CartPayment,
  confirmPayment,
  lockStartedPayment,
  type PaymentWait,
  type StartedPayment,
  startPayment,
  startPaymentProblems,
} from './sessions/service.ts';
export { completePayments } from './steps/service.ts';
export {
  commitTenders,
  paidBesideTenders,
  planTenders,
  type Tender,
  type TenderOffer,
  type TenderPart,
  type TenderPlan,
  type TenderSale,
  tenderNames,
  tenderOrder,
  tenderProblemsIn,
  tenders,
} from './tenders/service.ts';

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

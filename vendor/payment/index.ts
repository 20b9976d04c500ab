/**
 * @carton/payment: payment adapters, payments of orders, and refunds.
 */
import { cartCleanUps, cartTotals } from '@carton/cart';
import { storeTasks } from '@carton/core';
import { orderCanceled, orderCancelers, paymentNotices } from '@carton/order';
import { definePackage, job, mailTemplates, personalData, subscriber } from '@carton/runtime';
import { paymentSettings } from './adapters/settings.ts';
import { disputeClosedMail, disputeOpenedMail } from './dispute-mails.ts';
import {
  disputeClosed,
  disputeOpened,
  paymentAuthorized,
  paymentCaptured,
  paymentFailed,
  paymentVoided,
  refundCreated,
} from './events.ts';
import { paymentFeeStep } from './fees.ts';
import { paymentReceivedMail, refundMail } from './mails.ts';
import { methodMissing } from './methods.ts';
import { noticesOf } from './notices.ts';
import { personalPayments } from './persons.ts';
import { closeCanceled, reconcile } from './reconcile.ts';
import {
  adminPayments,
  cancelOrderUnits,
  capturePayment,
  createRefund,
  recordPayment,
  voidPayment,
} from './routes/admin.ts';
import { adminDisputes } from './routes/disputes.ts';
import { adminRefunds, listAdminPaymentMethods, updatePaymentMethod } from './routes/methods.ts';
import {
  listPaymentMethods,
  openOrderPaymentSession,
  openPaymentSession,
  receivePaymentWebhook,
} from './routes/storefront.ts';
import { closeCanceledPayments } from './service.ts';
import { cartsBeingPaid } from './session-store.ts';

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
} from './adapter.ts';
export { findStripeAccount, type StripeApiAccount } from './adapters/stripe/account.ts';
export { fromStripe, toStripe } from './adapters/stripe/amounts.ts';
export { paymentAdapters, requireAdapter, takesPaymentsOnline } from './bound.ts';
export { disputeClosed, disputeOpened, paymentCaptured, refundCreated } from './events.ts';
export { choiceOfMethod } from './fees.ts';
export { findRefusal, isMethodByHand, offersPaymentOnline } from './methods.ts';
export { lookUpAwaited, reconcile } from './reconcile.ts';
export { succeededRefunds, unitsToRestock } from './refund-store.ts';
export { type OrderRefund, refundOrder } from './refunds.ts';
export { abandonPayment } from './release.ts';
export { type ChargedOrder, type ChargeTaxer, chargeTaxers } from './repricing.ts';
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
} from './session-hooks.ts';
export {
  attachPayment,
  type CartPayment,
  confirmPayment,
  lockStartedPayment,
  type PaymentWait,
  type StartedPayment,
  startPayment,
  startPaymentProblems,
} from './sessions.ts';
export { completePayments } from './steps.ts';
export { findOrderPayment } from './store.ts';
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
} from './tenders.ts';

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

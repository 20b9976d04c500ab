/**
 * @carton/payment: which provider is bound, what was paid, and how.
 */
import { orderCancelers } from '@carton/order';
import { definePackage } from '@carton/runtime';
import { paymentCaptured } from './events.ts';
import {
  capturePayment,
  listPayments,
  readPayment,
  recordPayment,
  refundPayment,
  voidPayment,
} from './routes/admin.ts';
import { listPaymentMethods, openPaymentSession } from './routes/storefront.ts';
import { settleCanceledOrder } from './service.ts';

export {
  type BegunPayment,
  beginPayment,
  beginPaymentProblems,
  configuredAdapter,
  type InitiatedPayment,
  type PaymentAdapter,
  type PaymentIntent,
  paymentAdapters,
  paymentMethodUnknown,
  paymentProviderFailed,
  paymentsNotConfigured,
} from './adapter.ts';
export { keepPayment } from './service.ts';

export default definePackage({
  routes: [
    listPaymentMethods,
    openPaymentSession,
    listPayments,
    readPayment,
    recordPayment,
    capturePayment,
    voidPayment,
    refundPayment,
  ],
  events: [paymentCaptured],
  extends: [orderCancelers.with(settleCanceledOrder)],
});

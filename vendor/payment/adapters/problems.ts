/**
 * Problems of payment adapters and their methods.
 */
import { defineProblem } from '@carton/runtime';

/** The contract's error: title and detail are this exact text. */
export const paymentsNotConfigured = defineProblem({
  code: 'payments_not_configured',
  status: 503,
  title: 'Payments are not configured in this environment',
});
export const paymentMethodUnknown = defineProblem({
  code: 'payment_method_unknown',
  status: 400,
  title: 'This payment method is not offered',
});
export const paymentMethodUnavailable = defineProblem({
  code: 'payment_method_unavailable',
  status: 409,
  title: 'This payment method cannot be used for this amount or order',
});
export const paymentRefused = defineProblem({
  code: 'payment_refused',
  status: 409,
  title: 'The payment provider refused',
});
export const paymentProviderFailed = defineProblem({
  code: 'payment_provider_failed',
  status: 502,
  title: 'The payment provider failed or timed out',
});
export const webhookSignatureInvalid = defineProblem({
  code: 'webhook_signature_invalid',
  status: 400,
  title: 'The signature is missing or invalid',
});
export const webhookUnreadable = defineProblem({
  code: 'webhook_unreadable',
  status: 400,
  title: 'The signed request is not a valid event of the provider',
});

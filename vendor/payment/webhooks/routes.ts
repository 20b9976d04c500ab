/**
 * Routes of payment for payment providers.
 */
import { object, RawBody, route, Type } from '@carton/runtime';
import { webhookSignatureInvalid, webhookUnreadable } from '../adapters/problems.ts';
import { receiveWebhook } from './service.ts';

export const receivePaymentWebhook = route(
  {
    method: 'post',
    path: '/payments/webhooks/:provider',
    operationId: 'receivePaymentWebhook',
    tag: 'Payments',
    summary: 'Receive a webhook of a payment provider',
    description:
      "Authenticated by the provider's signature over the bytes of the body, which its adapter verifies. A repeated event changes nothing.",
    access: 'public',
    params: object({ provider: Type.String({ pattern: '^[a-z0-9-]+$', maxLength: 60, examples: ['stripe'] }) }),
    body: RawBody,
    bodyLimit: 256 * 1024,
    // A provider sends the events of all shoppers from a few addresses; rejecting an unsigned request costs one hash.
    rateLimit: false,
    status: 204,
    problems: [webhookSignatureInvalid, webhookUnreadable],
  },
  ({ db, params, headers, body }) => receiveWebhook(db, params.provider, { headers, body }),
);

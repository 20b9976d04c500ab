/**
 * Events of links to orders.
 */
import { DateTime, defineEvent, object, Uuid } from '@carton/runtime';

/** Occurs for unknown orders too. Contains no secret: the mail obtains the token when it is sent. */
export const orderLookupRequested = defineEvent({
  type: 'order.lookup_requested',
  summary: 'A link to an order was requested by number and e-mail address',
  payload: object({ requestId: Uuid, expiresAt: DateTime }),
});

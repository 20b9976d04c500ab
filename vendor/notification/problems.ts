/**
 * Problems of notifications.
 */
import { defineProblem } from '@carton/runtime';

export const notificationQueuedAlready = defineProblem({
  code: 'notification_queued',
  status: 409,
  title: 'The mail is still queued',
});
export const notificationErased = defineProblem({
  code: 'notification_erased',
  status: 409,
  title: "The mail's data has been erased",
});
export const templateReserved = defineProblem({
  code: 'template_reserved',
  status: 403,
  title: 'The mail contains a secret, and you lack the permission for what it opens',
});
export const mailNotConfigured = defineProblem({
  code: 'mail_not_configured',
  status: 503,
  title: 'No mail server is configured',
});
export const mailNotAccepted = defineProblem({
  code: 'mail_not_accepted',
  status: 502,
  title: 'The mail server did not accept the mail',
});
export const noOwnAddress = defineProblem({
  code: 'no_own_address',
  status: 409,
  title: 'The caller has no e-mail address',
});

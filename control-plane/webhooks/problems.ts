/**
 * Problems of webhooks.
 */
import { defineProblem } from '@carton/runtime/service';

export const webhookDisabled = defineProblem({
  code: 'webhook_disabled',
  status: 409,
  title: 'The webhook is disabled',
});

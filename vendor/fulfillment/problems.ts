/**
 * Problems of parcels.
 */
import { defineProblem } from '@carton/runtime';

export const fulfillmentExceedsOrder = defineProblem({
  code: 'fulfillment_exceeds_order',
  status: 409,
  title: 'More units than are left to ship',
});
export const fulfillmentStateConflict = defineProblem({
  code: 'fulfillment_state_conflict',
  status: 409,
  title: 'The state of the fulfillment does not allow this',
});
export const fulfillmentItemsRefunded = defineProblem({
  code: 'fulfillment_items_refunded',
  status: 409,
  title: 'Units of the fulfillment were refunded',
});

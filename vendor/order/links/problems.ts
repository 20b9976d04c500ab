/**
 * Problems of links to orders.
 */
import { defineProblem } from '@carton/runtime';

export const orderLinkUnknown = defineProblem({
  code: 'order_link_unknown',
  status: 404,
  title: 'This link to an order is unknown or expired',
});

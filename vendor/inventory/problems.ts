/**
 * Problems of inventory.
 */
import { defineProblem } from '@carton/runtime';

export const insufficientStock = defineProblem({
  code: 'insufficient_stock',
  status: 409,
  title: 'Insufficient stock',
});

/**
 * Problems of customers.
 */
import { defineProblem } from '@carton/runtime/service';

export const customerHasLicences = defineProblem({
  code: 'customer_has_licences',
  status: 409,
  title: 'The customer has licences that are not revoked',
});

/**
 * The step of the totals pipeline that proves the buyer's tax number. It adds nothing to the totals: the step of taxes reads
 * the same.
 */
import { totalsOrder, totalsStep } from '@carton/cart';
import { hasCheckers } from '../providers/settings.ts';
import { exemptionOf, readTaxes, type TaxRead } from '../sales/step.ts';
import { checkOf, missingCheckOf } from './service.ts';

export const taxNumberStep = totalsStep<TaxRead>({
  name: 'tax_number',
  order: totalsOrder.tax - 10,
  reads: readTaxes,
  adjust: () => [],
  missing: (_, { number }) => missingCheckOf(number),
  asksService: hasCheckers,
  buyerTax: (draft, read) => ({ check: checkOf(read.number), exemption: exemptionOf(draft, read) }),
});

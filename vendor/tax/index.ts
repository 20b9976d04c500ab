/**
 * @carton/tax: tax categories and rates, and the taxes of carts and orders.
 */
import { cartTotals } from '@carton/cart';
import { storeSettingsGroups, storeTasks } from '@carton/core';
import { chargeTaxers } from '@carton/order';
import { countryUses } from '@carton/region';
import { definePackage, personalData } from '@carton/runtime';
import { adminTaxCategories } from './categories/routes.ts';
import { taxRateEvents } from './events.ts';
import { forgetChecks, personalChecks } from './numbers/persons.ts';
import { taxNumberStep } from './numbers/step.ts';
import { vatNumberMissing } from './numbers/tasks.ts';
import { providerSettings } from './providers/settings.ts';
import { adminTaxRates } from './rates/routes.ts';
import { taxesOfCharge } from './sales/charges.ts';
import { isExemptMember } from './sales/members-store.ts';
import { taxesSales } from './sales/service.ts';
import { taxExemptions as exemptions, taxStep } from './sales/step.ts';
import { taxSettings } from './settings.ts';

export {
  type TaxNumberAnswer,
  type TaxNumberChecker,
  type TaxNumberQuestion,
  taxNumberCheckers,
} from './numbers/checker.ts';
export {
  type TaxAnswer,
  type TaxPart,
  type TaxProvider,
  type TaxQuestion,
  wrongAnswer,
} from './providers/provider.ts';
export { taxProviders } from './providers/settings.ts';
export { partsOfCharge, type TaxableGoods } from './sales/compute.ts';
export { type TaxExemption, taxExemptions } from './sales/step.ts';

export default definePackage({
  routes: [...adminTaxCategories, ...adminTaxRates],
  events: Object.values(taxRateEvents),
  extends: [
    cartTotals.with(taxNumberStep),
    cartTotals.with(taxStep),
    exemptions.with(isExemptMember),
    personalData.with(personalChecks),
    chargeTaxers.with(taxesOfCharge),
    storeSettingsGroups.with(taxSettings),
    storeTasks.with(vatNumberMissing),
    countryUses.with(taxesSales),
  ],
  jobs: [forgetChecks],
  settings: providerSettings,
});

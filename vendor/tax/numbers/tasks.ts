/**
 * What staff still have to set before businesses buy without tax.
 */
import type { StoreTask } from '@carton/core';
import { memberStateNumber } from '@carton/runtime';
import { taxSettings } from '../settings.ts';

export const vatNumberMissing: StoreTask = {
  code: 'vat_number_missing',
  detail:
    'Set vatNumber of the store to its valid number in a member state of the EU, or settings.tax.reverseCharge to false: until then businesses of other member states pay tax as consumers do.',
  isOpen: (_, store) => taxSettings.of(store).reverseCharge && memberStateNumber(store.vatNumber) === null,
};

/**
 * Events of core.
 */
import { Currency, defineEvent, object, Type } from '@carton/runtime';

export const storeUpdated = defineEvent({
  type: 'store.updated',
  summary: 'Settings of the store were changed',
  payload: object({ defaultCurrency: Currency, defaultLocale: Type.String() }),
});

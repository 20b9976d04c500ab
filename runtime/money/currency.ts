/**
 * Currencies, as schemas of requests and responses.
 */
import { Type } from '../http/schemas.ts';
import { defineFormat } from '../http/validation.ts';
import { isCurrency } from './minor-units.ts';

/** The schema of a currency code. */
export const Currency = Type.String({
  pattern: '^[A-Z]{3}$',
  format: defineFormat('currency', 'a currency of ISO 4217', isCurrency),
  examples: ['EUR'],
});

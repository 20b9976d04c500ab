/**
 * Currencies, as schemas of requests and responses.
 */
import { defineInputForms } from '../http/input-forms.ts';
import { Type } from '../http/schemas.ts';
import { defineFormat } from '../http/validation.ts';
import { isCurrency } from './minor-units.ts';

const meaning = 'a currency of ISO 4217';
const format = defineFormat('currency', meaning, isCurrency);
defineInputForms(format, {
  name: 'currency-in-any-case',
  meaning,
  parse(text) {
    const code = text.toUpperCase();
    return isCurrency(code) ? code : null;
  },
  maxLength: 3,
  description: 'A currency of ISO 4217, in any case',
});

/** The schema of a currency code. In bodies and queries of requests it takes any case, and handlers get capitals. */
export const Currency = Type.String({ pattern: '^[A-Z]{3}$', format, examples: ['EUR'] });

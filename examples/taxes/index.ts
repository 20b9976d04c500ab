/**
 * An example of a tax provider: one rate for all that is sent to one country.
 */
import {
  definePackage,
  divideRounded,
  hundredPercent,
  newId,
  packageSettings,
  ServiceError,
  scalePercent,
  Type,
} from '@carton/runtime';
import { type TaxPart, type TaxProvider, type TaxQuestion, taxProviders } from '@carton/tax';

const settings = packageSettings({
  FLAT_TAX_COUNTRY: Type.String({ pattern: '^[A-Z]{2}$', default: 'DE', description: 'Where something is taxed' }),
  FLAT_TAX_PERCENT: Type.Integer({ minimum: 0, maximum: 100, default: 19, description: 'Per cent of all taxes' }),
});

/** The tax on top of an amount, or within it. */
function taxOf(amount: number, included: boolean, percent: number): TaxPart[] {
  const rate = scalePercent(percent);
  const tax = divideRounded(BigInt(amount) * rate, included ? hundredPercent + rate : hundredPercent);
  return [{ code: 'flat', label: 'Flat tax', rate: percent, amount: Number(tax) }];
}

const flatTax: TaxProvider = {
  name: 'flat',
  async connect(db) {
    const { FLAT_TAX_COUNTRY: country, FLAT_TAX_PERCENT: percent } = settings.of(db);
    return {
      id: 'common',
      async calculate({ address, included, lines, shipping }: TaxQuestion, signal: AbortSignal) {
        signal.throwIfAborted();
        if (address.country !== country) throw new ServiceError('refused', `it taxes only ${country}`);
        return {
          id: newId(),
          lines: lines.map(({ amount }) => taxOf(amount, included, percent)),
          shipping: shipping ? taxOf(shipping.amount, shipping.included, percent) : [],
        };
      },
    };
  },
};

export default definePackage({ routes: [], extends: [taxProviders.with(flatTax)], settings });

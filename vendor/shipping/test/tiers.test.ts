/**
 * Boundaries of tiers: the lower bound is included, the upper one excluded, and no value has two amounts.
 */
import fc from 'fast-check';
import t from 'tap';
import type { ShippingRate } from '../options/schemas.ts';
import { type RatedOption, rateSourcesOf, type ShippingRateSource } from '../options/sources.ts';
import { parcelsOf, type ShippedLine } from '../sales/quotes.ts';

const sources = rateSourcesOf({ extensions: new Map() });
const sourceOf = (type: string) => sources.find((source) => source.type === type) as ShippingRateSource;
const lineOf = (weight: number | null, price: number): ShippedLine => ({
  ...{ variantId: 'v', shippingProfile: null, quantity: 1, weight, discountedTotal: price },
});
const parcelOf = (...lines: ShippedLine[]) => {
  const parcel = parcelsOf(lines, 'EUR', []).get(null);
  if (!parcel) throw new Error('no parcel');
  return parcel;
};
const optionOf = (type: string, rates: ShippingRate[]): RatedOption => ({
  ...{ id: 'o', code: 'o', type, rates, carrierService: null },
});

const bounds = fc.uniqueArray(fc.nat(50), { minLength: 2, maxLength: 8 }).map((all) => all.sort((a, b) => a - b));

for (const type of ['weight', 'price']) {
  t.test(`the tier of a ${type} is the one that it is in, or none`, async () => {
    fc.assert(
      fc.property(bounds, fc.boolean(), fc.array(fc.boolean()), fc.nat(60), (all, isOpen, gaps, value) => {
        const tiers = all.flatMap((from, at): ShippingRate[] => {
          const to = all[at + 1] ?? null;
          if ((to === null && !isOpen) || gaps[at]) return [];
          return [{ currency: 'EUR', from, to, amount: at }];
        });
        if (tiers.length === 0) return true;
        const others = tiers.map((tier) => ({ ...tier, currency: 'USD', amount: tier.amount + 100 }));
        const source = sourceOf(type);
        const shuffled = [...others, ...tiers].reverse();
        source.check?.(shuffled, { carrierService: null });
        const parcel = type === 'weight' ? parcelOf(lineOf(value, 7)) : parcelOf(lineOf(null, value));
        const rate = source.rate(optionOf(type, shuffled), parcel, undefined);
        const position = all.findLastIndex((from) => from <= value);
        const isInTier = position >= 0 && !gaps[position] && (position < all.length - 1 || isOpen);
        return isInTier ? 'amount' in rate && rate.amount === position : 'reason' in rate && rate.reason === type;
      }),
      { numRuns: 3000 },
    );
  });
}

t.test('weights count for each unit, and one that is missing is not zero', async (t) => {
  t.match(parcelOf({ ...lineOf(400, 5), quantity: 3 }, lineOf(0, 5)), { weight: 1200, goods: 10 });
  const parcel = parcelOf(lineOf(400, 5), { ...lineOf(null, 5), title: 'Lamp' });
  const option = optionOf('weight', [{ currency: 'EUR', from: 0, to: null, amount: 1 }]);
  t.strictSame(sourceOf('weight').rate(option, parcel, undefined), { reason: 'weight', detail: 'No weight: Lamp.' });
});

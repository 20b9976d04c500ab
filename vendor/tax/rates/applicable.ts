/**
 * Which of the rates of a place apply to a tax category.
 */

/** A rate of the country, a province or the postal code of a sale. */
export interface ApplicableRate {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  /** Per cent, with up to five decimals. */
  readonly rate: number;
  /** Null for a rate of the entire country, or of postal codes. */
  readonly province: string | null;
  /** How far the province is from that of the sale: 0 (or absent) for the same, more for one that contains it. */
  readonly level?: number;
  /** Of a rate of postal codes: the pattern, and how many codes match it. */
  readonly postalCode?: string | null;
  readonly breadth?: number;
  /** Code of the category; null for all categories without rates of their own at the same place. */
  readonly category: string | null;
  readonly compound: boolean;
  readonly override: boolean;
}

/** The rates of one place that apply to a category: those of the category, or else those without one. */
function ofCategory(there: readonly ApplicableRate[], category: string | null): readonly ApplicableRate[] {
  const own = there.filter((rate) => category !== null && rate.category === category);
  return own.length > 0 ? own : there.filter((rate) => rate.category === null);
}

/** The rates of each place, the smallest first. Of patterns that as many codes match, the first of the alphabet counts. */
function byPlace(rates: readonly ApplicableRate[]): ApplicableRate[][] {
  const places = Map.groupBy(rates, ({ postalCode, breadth, level }) =>
    JSON.stringify([breadth ?? level ?? 0, postalCode]),
  );
  const sizeOf = ([{ breadth, level, postalCode }]: ApplicableRate[]) =>
    [breadth ?? level ?? 0, postalCode ?? ''] as const;
  return [...places.values()].sort((one, other) => {
    const [[size, text], [otherSize, otherText]] = [sizeOf(one), sizeOf(other)];
    return size - otherSize || (text < otherText ? -1 : 1);
  });
}

/**
 * The rates that apply to a category, from those of a country, of provinces and of postal codes. Each of the three
 * contributes its rates of the category, or those without a category if it has none: of provinces that contain each other,
 * and of patterns of postal codes, the smallest that has any. A rate with `override` removes those of the places that
 * contain its own. Compound rates come last.
 * @param category code of a category; null for the default category. An unknown one is like null.
 */
export function ratesOf(rates: readonly ApplicableRate[], category: string | null): ApplicableRate[] {
  const isOfCode = ({ postalCode }: ApplicableRate) => typeof postalCode === 'string';
  const placesOf = (isOf: (rate: ApplicableRate) => boolean) =>
    byPlace(rates.filter(isOf)).flatMap((there) => {
      const applied = ofCategory(there, category);
      return applied.length > 0 ? [applied] : [];
    });
  const codes = placesOf(isOfCode);
  const provinces = placesOf((rate) => !isOfCode(rate) && rate.province !== null);
  const [ofCode = []] = codes;
  const [ofProvince = []] = provinces;
  const ofCountry = ofCategory(
    rates.filter((rate) => !isOfCode(rate) && rate.province === null),
    category,
  );
  const isReplaced = (places: readonly (readonly ApplicableRate[])[]) => places.flat().some(({ override }) => override);
  const above = isReplaced(codes) ? [] : [...(isReplaced(provinces) ? [] : ofCountry), ...ofProvince];
  const applied = [...above, ...ofCode];
  return [...applied.filter(({ compound }) => !compound), ...applied.filter(({ compound }) => compound)];
}

/**
 * Which of the rates of a place apply to a tax category.
 */

/** A rate of the country or the province of a sale. */
export interface ApplicableRate {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  /** Per cent, with up to five decimals. */
  readonly rate: number;
  /** Null for a rate of the entire country. */
  readonly province: string | null;
  /** Code of the category; null for all categories without rates of their own at the same place. */
  readonly category: string | null;
  readonly compound: boolean;
  readonly override: boolean;
}

/**
 * The rates that apply to a category, from those of a country and of one of its provinces. The country and the province
 * each contribute their rates of the category, or those without a category if they have none. A rate with `override`
 * among those of the province removes those of the country. Compound rates come last.
 * @param category code of a category; null for the default category. An unknown one is like null.
 */
export function ratesOf(rates: readonly ApplicableRate[], category: string | null): ApplicableRate[] {
  const ofPlace = (isProvince: boolean) => {
    const there = rates.filter(({ province }) => (province !== null) === isProvince);
    const own = there.filter((rate) => category !== null && rate.category === category);
    return own.length > 0 ? own : there.filter((rate) => rate.category === null);
  };
  const ofProvince = ofPlace(true);
  const ofCountry = ofProvince.some(({ override }) => override) ? [] : ofPlace(false);
  const applied = [...ofCountry, ...ofProvince];
  return [...applied.filter(({ compound }) => !compound), ...applied.filter(({ compound }) => compound)];
}

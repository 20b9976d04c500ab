/**
 * Which of the promotions that a sale is eligible for are combined: pure functions.
 */
import type { LineFacts, TotalsLine } from '@carton/cart';
import { applyOffers, offerIn } from './compute.ts';
import type { Considered, ReadPromotion } from './store.ts';

/** A promotion that applies, with the code through which it does. */
export interface Applied {
  readonly considered: Considered;
  readonly promotion: ReadPromotion;
}

const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);

/**
 * An exclusive promotion applies alone. Of the exclusive promotions, each alone, and all others together, the one with the
 * highest priority applies; of several with the same priority, the one that takes most off the goods; then the first.
 */
export function combinationOf(
  applied: readonly Applied[],
  currency: string,
  lines: readonly TotalsLine[],
  facts: LineFacts,
): Considered[] {
  const together = applied.filter(({ promotion }) => !promotion.exclusive);
  const alone = applied.filter(({ promotion }) => promotion.exclusive).map((each) => [each]);
  if (alone.length === 0) return together.map(({ considered }) => considered);
  const options = [...alone, together].filter((option) => option.length > 0);
  const rated = options.map((option) => {
    const offers = option.map(({ promotion }) => offerIn(currency, promotion));
    const saved = applyOffers(offers, lines, facts, ({ total }) => total).flat();
    const first = option[0] as Applied;
    // `applied` is in order of priority, so the first promotion has the highest.
    return { option, priority: first.promotion.priority, saved: sum(saved.map(({ amount }) => amount)), first };
  });
  const [best] = rated.toSorted(
    (one, other) =>
      other.priority - one.priority ||
      other.saved - one.saved ||
      applied.indexOf(one.first) - applied.indexOf(other.first),
  );
  return best?.option.map(({ considered }) => considered) ?? [];
}

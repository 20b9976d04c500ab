/**
 * Differences between the installed box and that from sources which a second run must confirm: what is shipped differs
 * each time, what two boxes do at different moments does not.
 */
import type { Failure, Results } from './results.ts';

const difference = /: the answer is .+, from sources |, compared with sources$|: from sources there is no answer/;

/** Whether a failure says that the two boxes differ. */
export function isDifference({ name }: Pick<Failure, 'name'>): boolean {
  return difference.test(name);
}

/** The first results with the differences that the second run has found too, and with its other failures. */
export function confirmedBy(first: Results, second: Results): Results {
  const isIn =
    ({ failures }: Results) =>
    (failure: Failure) =>
      failures.some(({ name }) => name === failure.name);
  const confirmed = first.failures.filter((failure) => !isDifference(failure) || isIn(second)(failure));
  const more = second.failures.filter((failure) => !isDifference(failure) && !isIn(first)(failure));
  return { ...first, failures: [...confirmed, ...more] };
}

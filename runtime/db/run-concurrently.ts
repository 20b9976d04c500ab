/**
 * Concurrent work in one transaction, whose statements share round trips.
 */

import { isSkippedStatement } from './errors.ts';

type Work = () => unknown;
type Results<Works extends readonly Work[]> = { -readonly [Key in keyof Works]: Awaited<ReturnType<Works[Key]>> };

/**
 * Starts several functions in order without awaiting one before the next: their first statements share a round trip,
 * and PostgreSQL runs them in that order; so do their second statements. Waits for all of them, even when one fails:
 * with `Promise.all` the others would continue after the transaction was rolled back.
 * @throws the first error, in the order of the functions, that is not a consequence of another
 */
export async function runConcurrently<const Works extends readonly Work[]>(works: Works): Promise<Results<Works>> {
  const started = works.map(start);
  try {
    return (await Promise.all(started)) as Results<Works>;
  } catch {
    const outcomes = await Promise.allSettled(started);
    const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    throw failures.find((failure) => !isSkippedStatement(failure)) ?? failures[0];
  }
}

/** Unlike an async function it adds no promise of its own. */
function start(work: Work): unknown {
  try {
    return work();
  } catch (error) {
    return Promise.reject(error);
  }
}

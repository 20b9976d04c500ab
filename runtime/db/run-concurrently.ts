/**
 * Pieces of work of one transaction whose statements travel together.
 */

type Work = () => unknown;
type Results<Works extends readonly Work[]> = { -readonly [Key in keyof Works]: Awaited<ReturnType<Works[Key]>> };

/** SQLSTATE of any statement after one that failed: it says nothing of why. */
const inFailedTransaction = '25P02';

/**
 * Begins pieces of work in their order, without waiting for one before the next: the first statements of all of them
 * share a journey to PostgreSQL, which runs them in that order, and so do the second ones. Answers when all have ended,
 * also when one has failed: a `Promise.all` would let the others go on after the transaction was undone.
 * @throws what the first of them, in their order, has failed with by itself
 */
export async function runConcurrently<const Works extends readonly Work[]>(works: Works): Promise<Results<Works>> {
  const ends = await Promise.allSettled(works.map(async (work) => work()));
  const failures = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  if (failures.length > 0) throw failures.find(({ code }) => code !== inFailedTransaction) ?? failures[0];
  return ends.map((end) => (end as PromiseFulfilledResult<unknown>).value) as Results<Works>;
}

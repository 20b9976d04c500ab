/**
 * Quotes of services outside of the box, such as the taxes of a sale. A step of the totals reads the quotes that its
 * package has stored; one that it lacks is asked for here, between two pricings and outside any transaction, so that no
 * row is locked while a service works.
 */
import { Problem, type TenantDatabase, tooManyRequests } from '@carton/runtime';
import type { MissingQuoteOfStep } from '../pricing/pipeline.ts';
import type { PricedSale } from '../pricing/service.ts';
import type { Asker } from './asker.ts';

interface QuoteOptions {
  /** Whose questions are counted; null for the box itself, and where they have been counted. */
  asker: Asker | null;
  /** An order is refused to a shopper who has asked too much (429). Otherwise the quote is not asked for. */
  isOrder?: boolean;
}

/**
 * Asks for the quotes that a priced sale lacks and prices it again. One step after the other: taxes depend on the
 * charge of a carrier. Each is asked at most once, so a service without an answer leaves an estimate. Inside a
 * transaction nothing is asked.
 * @param reprice prices the same sale again
 * @throws too_many_requests (429) for an order
 */
export async function withQuotes<S extends PricedSale>(
  db: TenantDatabase,
  priced: S,
  reprice: () => Promise<S>,
  { asker, isOrder = false }: QuoteOptions,
): Promise<S> {
  if (db.inTransaction) return priced;
  const asked = new Set<string>();
  for (let current = priced; ; ) {
    const next = current.missingQuotes.find(({ step, ask }) => ask && !asked.has(step));
    if (!next) return current;
    asked.add(next.step);
    const answering = next.ask?.(db, asker) ?? Promise.resolve(false);
    const isAnswered = await (isOrder ? answering : answering.catch(refusedToAsk));
    if (isAnswered) current = await reprice();
  }
}

/** Who has asked too much sees the sale without the quote. */
function refusedToAsk(error: unknown): false {
  if (error instanceof Problem && error.type.code === tooManyRequests.code) return false;
  throw error;
}

/** Ends a transaction that lacks a quote, so that the service can be asked outside of it. */
class QuoteMissing extends Error {
  readonly quote: MissingQuoteOfStep;

  constructor(quote: MissingQuoteOfStep) {
    super(`the quote of ${quote.step} is missing`);
    this.quote = quote;
  }
}

/** The sale may change once more while a service is asked; after that, the order has to do with an estimate. */
const maxAsks = 2;

/**
 * Runs work that prices a sale in its own transaction, such as placing an order. Where it demands a quote that the sale
 * lacks, its transaction is rolled back, the service is asked, and the work runs again: the quote is for exactly the sale
 * that was priced under its locks. A service without an answer, and a sale that keeps changing, leave an estimate.
 * Inside an outer transaction nothing can be asked.
 * @param work calls `demandQuotes` with the sale that it has priced, and lets its error pass
 * @param asker whose questions are counted; null for the box itself
 * @throws too_many_requests (429) if the asker has asked too much
 */
export async function retryWithQuotes<T>(
  db: TenantDatabase,
  work: (demandQuotes: DemandQuotes) => Promise<T>,
  asker: Asker | null,
): Promise<T> {
  const asked = new Map<string, number>();
  const demandQuotes: DemandQuotes = ({ missingQuotes }) => {
    if (db.inTransaction) return;
    const missing = missingQuotes.find(({ step, ask }) => ask && (asked.get(step) ?? 0) < maxAsks);
    if (missing) throw new QuoteMissing(missing);
  };
  for (;;) {
    try {
      return await work(demandQuotes);
    } catch (error) {
      if (!(error instanceof QuoteMissing)) throw error;
      const { step, ask } = error.quote;
      const isAnswered = await ask?.(db, asker);
      asked.set(step, isAnswered ? (asked.get(step) ?? 0) + 1 : maxAsks);
    }
  }
}

/** Rejects a priced sale that lacks a quote which may still be asked for. */
export type DemandQuotes = (priced: Pick<PricedSale, 'missingQuotes'>) => void;

/**
 * Quotes of tax providers: which quote a sale needs, asking for it, and the taxes that it says.
 */
import {
  type Adjustment,
  digestOf,
  type MissingQuote,
  quotedAddressOf,
  type Sale,
  saleKeyOf,
  type TotalsDraft,
} from '@carton/cart';
import { allocate, callService, type TenantDatabase } from '@carton/runtime';
import { includedIn } from '../sales/included.ts';
import type { taxSettings } from '../settings.ts';
import { rejectWrongAnswer, type TaxAnswer, type TaxPart, type TaxProvider } from './provider.ts';
import { questionOf, type SaleQuestion } from './questions.ts';
import { connectedProviders, providerSettings } from './settings.ts';
import { findQuotes, type StoredQuotes, taxQuotes } from './store.ts';

/** What the step reads about quotes. */
export interface QuotesRead extends StoredQuotes {
  saleKey: string;
  /** The providers that the box is connected to. */
  providers: readonly TaxProvider[];
}

/** In one statement. */
export async function readQuotes(db: TenantDatabase, sale: Sale): Promise<QuotesRead> {
  const saleKey = saleKeyOf(sale);
  return { ...(await findQuotes(db, saleKey)), saleKey, providers: connectedProviders(db) };
}

/** A quote that the taxes of a sale need; `answer` is null while there is none. */
interface NeededQuote {
  provider: TaxProvider | null;
  asked: SaleQuestion | null;
  answer: TaxAnswer | null;
  isRefused: boolean;
}

type Settings = ReturnType<typeof taxSettings.of>;

/** The quote that a sale needs; null if the store has chosen no provider, or nothing is to be taxed. */
export function quoteFor(draft: TotalsDraft, settings: Settings, read: QuotesRead | null): NeededQuote | null {
  if (settings.provider === null) return null;
  const none = { asked: null, answer: null, isRefused: false };
  const provider = read?.providers.find(({ name }) => name === settings.provider) ?? null;
  const address = quotedAddressOf(draft.sale.shippingAddress);
  if (!provider || !read || !address) return { provider, ...none };
  const asked = questionOf(draft, address, { codes: read.codes, shippingCategory: settings.shippingCategory });
  if (!asked) return null;
  const digest = digestOf([provider.name, asked.question]);
  const stored = read.quotes.find((quote) => quote.digest === digest);
  return { provider, asked, answer: stored?.answer ?? null, isRefused: stored?.answer === null };
}

/** What the totals report of a quote without an answer. */
export function missingQuoteOf(
  { provider, asked, isRefused }: NeededQuote,
  { fallback }: Settings,
  saleKey: string,
): MissingQuote {
  const isRequired = fallback === 'reject';
  if (!provider) return { detail: 'The tax service of the store is not connected.', isRequired, ask: null };
  if (!asked) return { detail: 'Taxes need a shipping address with a country.', isRequired, ask: null };
  if (isRefused) return { detail: 'The tax service does not accept the shipping address.', isRequired, ask: null };
  const ask = (db: TenantDatabase) => askProvider(db, provider, { asked, saleKey });
  return { detail: 'The tax service does not respond. Try again later.', isRequired, ask };
}

/**
 * Asks a provider and stores its answer, or that it refuses the question.
 * @returns false if there is no answer: the provider is away, gives a wrong answer, or has no account of the store
 */
async function askProvider(
  db: TenantDatabase,
  provider: TaxProvider,
  { asked: { question }, saleKey }: { asked: SaleQuestion; saleKey: string },
): Promise<boolean> {
  const account = await provider.connect(db);
  if (!account) return false;
  const { timeout, pause, quoteLifetime } = providerSettings.of(db);
  const call = { service: `${provider.name}-tax`, account: account.id, timeout, pause };
  const key = { saleKey, digest: digestOf([provider.name, question]) };
  return taxQuotes.ask(db, key, quoteLifetime, () =>
    callService(db, call, async (signal) => {
      const answer = await account.calculate(question, signal);
      rejectWrongAnswer(question, answer);
      return answer;
    }),
  );
}

/** The taxes of an answer: one for each line or charge and rate. */
export function adjustmentsOf(
  { region, shipping }: TotalsDraft,
  { lineIds }: SaleQuestion,
  answer: TaxAnswer,
): Adjustment[] {
  const included = includedIn(region);
  const source = { type: 'tax_provider', id: answer.id };
  const adjustment = ({ code, label, rate, amount }: TaxPart, isWithin: boolean): Adjustment => ({
    ...{ code, label, kind: 'tax', amount, included: isWithin, source },
    ...(rate !== null && { rate }),
  });
  const ofLines = lineIds.flatMap((lineId, at) =>
    (answer.lines[at] ?? []).map((part) => ({ ...adjustment(part, included.goods), lineId })),
  );
  const charges = shipping.map(({ discountedAmount }) => discountedAmount);
  const ofShipping = answer.shipping.flatMap((part) =>
    allocate(part.amount, charges).map((amount, at) => ({
      ...adjustment({ ...part, amount }, included.charges),
      shippingCode: shipping[at]?.code as string,
    })),
  );
  return [...ofLines, ...ofShipping];
}

/**
 * Whether the buyer's tax number is valid: what is known of it, and asking a service where it is not.
 */
import { type Asker, digestOf, guardTaxNumber, type MissingQuote, type Sale, type TaxNumberCheck } from '@carton/cart';
import { findStore } from '@carton/core';
import {
  callService,
  memberStateNumber,
  prefixOfTaxNumber,
  ServiceError,
  storableText,
  type TenantDatabase,
} from '@carton/runtime';
import { providerSettings, usedCheckers } from '../providers/settings.ts';
import { taxSettings } from '../settings.ts';
import type { TaxNumberAnswer, TaxNumberChecker, TaxNumberQuestion } from './checker.ts';
import { findCheck, type StoredCheck, storeCheck } from './store.ts';
import { inTurn } from './turns.ts';

/** The number of a sale whose store sells without tax by it. */
export interface NumberRead {
  checker: TaxNumberChecker;
  question: TaxNumberQuestion;
  digest: string;
  /** Null if nobody was asked lately. */
  stored: StoredCheck | null;
  /** Whether the service was asked before, if not lately. */
  isKnown: boolean;
}

/** Minutes for which a service is not asked again about a number after it gave no answer. */
const absenceLifetime = 1;

/** Null for a sale whose number nobody is asked about. */
export async function readNumber(db: TenantDatabase, { taxNumber }: Sale): Promise<NumberRead | null> {
  const prefix = taxNumber ? prefixOfTaxNumber(taxNumber) : null;
  if (!taxNumber || prefix === null) return null;
  const checker = usedCheckers(db).find((each) => each.knows(prefix));
  if (!checker) return null;
  const store = await findStore(db);
  if (!taxSettings.of(store).reverseCharge) return null;
  // Who sells without tax states a number of their own on the invoice, and reports the sale with it.
  const requester = memberStateNumber(store.vatNumber);
  if (requester === null) return null;
  const question = { number: taxNumber, requester };
  const digest = digestOf([checker.name, question.number, question.requester]);
  const found = await findCheck(db, digest);
  return { checker, question, digest, stored: found?.isCurrent ? found : null, isKnown: found !== null };
}

/** What an order keeps of it; null if nobody was asked. */
export function checkOf(read: NumberRead | null): TaxNumberCheck | null {
  if (!read?.stored) return null;
  const { answer, checkedAt } = read.stored;
  const { requestIdentifier = null, name = null, address = null } = answer ?? {};
  const status = answer === null ? 'unavailable' : answer.isValid ? 'valid' : 'invalid';
  return { status, provider: read.checker.name, checkedAt, requestIdentifier, name, address };
}

/** The proof that a sale lacks. No order waits for it: without an answer it is taxed as a consumer's. */
export function missingCheckOf(read: NumberRead | null): MissingQuote | null {
  if (!read || read.stored) return null;
  return { detail: 'The tax number is not checked.', isRequired: false, ask: (db, asker) => ask(db, read, asker) };
}

/** @throws too_many_requests (429) if the asker has tried many numbers */
async function ask(db: TenantDatabase, read: NumberRead, asker: Asker | null): Promise<boolean> {
  // A number that was asked about before is no further try: while a service is away, each read may ask again.
  if (asker && !read.isKnown) await guardTaxNumber(db, asker);
  const { timeout, checkLifetime } = providerSettings.of(db);
  const { checker, question, digest } = read;
  const isAnswered = async () => (await findCheck(db, digest))?.isCurrent ?? false;
  const turn = JSON.stringify([db.tenantId, checker.name, prefixOfTaxNumber(question.number)]);
  const isAsked = await inTurn(db, turn, timeout / 2, async () => {
    // A request that came before may have asked the same.
    if (await isAnswered()) return;
    const answer = await answerTo(db, read);
    // Also that there was none, so that the cart and the order say so, and not each read waits for the service.
    await storeCheck(db, digest, answer, answer ? checkLifetime : absenceLifetime);
  });
  if (!isAsked && !(await isAnswered())) await storeCheck(db, digest, null, absenceLifetime);
  return true;
}

/** Null if the service gives none. */
async function answerTo(db: TenantDatabase, { checker, question }: NumberRead): Promise<TaxNumberAnswer | null> {
  const { timeout, pause } = providerSettings.of(db);
  // The registers of countries are away one by one: each has a circuit of its own.
  const account = prefixOfTaxNumber(question.number) ?? '';
  const call = { service: `${checker.name}-tax-number`, account, timeout, pause };
  try {
    const answer = await callService(db, call, (signal) => checker.check(db, question, signal));
    const text = (value: string | null) => (value === null ? null : storableText(value));
    const { isValid, requestIdentifier, name, address } = answer;
    return { isValid, requestIdentifier: text(requestIdentifier), name: text(name), address: text(address) };
  } catch (error) {
    if (error instanceof ServiceError) return null;
    throw error;
  }
}

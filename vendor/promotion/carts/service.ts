/**
 * The codes of a shopper's cart.
 */
import type { TriedCode } from '@carton/auth';
import { type Cart, type CartChange, presentQuoted, writeCart, writeExistingCart } from '@carton/cart';
import { notFound, runConcurrently, type ShopperSession, type Static, type TenantDatabase } from '@carton/runtime';
import { codeKey, storedCode } from '../codes/text.ts';
import { stepName } from '../discounts/step.ts';
import { readConsidered } from '../discounts/store.ts';
import { blockingProblems, promotionCodeLimit, promotionCodeUnknown } from '../problems.ts';
import { countGuess, type Shopper } from './guesses.ts';
import { deleteCode, insertCode } from './store.ts';

/** Codes of one cart at most. */
const maxCartCodes = 10;

/**
 * Adds a code to the cart; creates the cart if necessary. A code that only does not apply yet is accepted.
 * @throws promotion_code_unknown (404), promotion_code_limit and the other problems of codes (409), too_many_requests
 * (429) after too many unknown codes
 */
export async function applyCode(shopper: Shopper, typed: string): Promise<Static<typeof Cart>> {
  const { db, session } = shopper;
  const code = storedCode(typed);
  const written = await countGuess(shopper, (tried) =>
    writeCart(db, session, (tx, cart) => ({ known: enterCode(tx, cart, code, tried) })),
  );
  return presentQuoted(db, written, shopper);
}

/** @returns what the step of promotions would read of the cart with the code */
async function enterCode(
  tx: TenantDatabase,
  { id: cartId, memberId, email }: Parameters<CartChange>[1],
  code: string,
  tried: TriedCode,
) {
  const [considered, , count] = await runConcurrently([
    () => readConsidered(tx, { time: new Date(), memberId, email, cartId, codes: [code] }),
    () => tried.mayBeFirst(tx),
    () => insertCode(tx, cartId, code),
  ]);
  const [entered, again] = considered.filter((each) => each.code !== null && codeKey(each.code) === codeKey(code));
  if (!entered?.promotion) throw promotionCodeUnknown(`There is no code ${code}.`);
  // A code that exists is no guess, also if it cannot be used.
  await tried.succeeded(tx);
  const isRepeated = entered.promotion.rules.firstOrder && entered.hasOrdered;
  const reason = entered.unusable ?? (isRepeated ? 'first_order_only' : null);
  const problem = reason && blockingProblems[reason];
  if (problem) throw problem();
  if (count > maxCartCodes) throw promotionCodeLimit(`A cart holds at most ${maxCartCodes} codes.`);
  // The cart may have had the code.
  return { [stepName]: considered.filter((each) => each !== again) };
}

/** Removes a code from the cart. @throws not_found (404) */
export async function removeCode(db: TenantDatabase, session: ShopperSession, code: string): Promise<void> {
  const unknown = () => notFound(`The cart has no code ${code}.`);
  const changed = await writeExistingCart(db, session, async (tx, { id: cartId }) => {
    if (!(await deleteCode(tx, cartId, code))) throw unknown();
  });
  if (!changed) throw unknown();
}

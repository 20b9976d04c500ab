/**
 * The codes of a shopper's cart.
 */
import { type Cart, type CartChange, presentQuoted, writeCart, writeExistingCart } from '@carton/cart';
import { notFound, runConcurrently, type ShopperSession, type Static, type TenantDatabase } from '@carton/runtime';
import { storedCode } from '../codes/text.ts';
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
  const guard = await countGuess(shopper);
  let isKnown = false;
  const change: CartChange = async (tx, { id: cartId, memberId, email }) => {
    const found = await readConsidered(tx, { time: new Date(), memberId, email, cartId: null, codes: [code] });
    const entered = found.find((each) => each.code !== null);
    if (!entered?.promotion) throw promotionCodeUnknown(`There is no code ${code}.`);
    isKnown = true;
    const isRepeated = entered.promotion.rules.firstOrder && entered.hasOrdered;
    const reason = entered.unusable ?? (isRepeated ? 'first_order_only' : null);
    const problem = reason && blockingProblems[reason];
    if (problem) throw problem();
    return { sent: runConcurrently([() => addCode(tx, cartId, code), () => guard.succeeded(tx)]) };
  };
  const written = await writeCart(db, session, change).catch(async (error: unknown) => {
    // A code that exists is no guess, also if it cannot be used.
    await (isKnown ? guard.succeeded(db) : guard.failed(db));
    throw error;
  });
  return presentQuoted(db, written);
}

/** Adds a code to a locked cart. @throws promotion_code_limit (409) */
async function addCode(tx: TenantDatabase, cartId: string, code: string): Promise<void> {
  if ((await insertCode(tx, cartId, code)) > maxCartCodes)
    throw promotionCodeLimit(`A cart holds at most ${maxCartCodes} codes.`);
}

/** Removes a code from the cart. @throws not_found (404) */
export async function removeCode(db: TenantDatabase, session: ShopperSession, code: string): Promise<void> {
  const unknown = () => notFound(`The cart has no code ${code}.`);
  const changed = await writeExistingCart(db, session, async (tx, { id: cartId }) => {
    if (!(await deleteCode(tx, cartId, code))) throw unknown();
  });
  if (!changed) throw unknown();
}

/**
 * What pays for an order besides a provider: gift cards, store credit. Each part that a tender pays is a payment of the
 * order, with the tender's name as its provider, so that balance, list and refunds are one place.
 */
import { balanceOf, lockOrder, type OrderState } from '@carton/order';
import { extensionPoint, type HasExtensions, money, type ProblemType, type TenantDatabase } from '@carton/runtime';
import { publishOf, settleOrder } from './bookkeeping.ts';
import { adapterOf } from './bound.ts';
import { paymentCaptured } from './events.ts';
import { format } from './format.ts';
import { paymentExceedsBalance } from './problems.ts';
import { insertPayment, offline, type PaymentRow } from './store.ts';

/** What is to be paid. Amounts are minor units of `currency`. */
export interface TenderSale {
  /** What becomes the order, as in checkout's `Placing`: `{ type: 'cart', id }`. */
  source: { readonly type: string; readonly id: string };
  memberId: string | null;
  currency: string;
  /** Above zero. */
  due: number;
}

/** Something that could pay: one card, one account. */
export interface TenderOffer {
  /** The tender's own name of it, by which it is debited; unique within the tender, up to 200 characters. */
  reference: string;
  /** For the shopper to read: `Gift card ending in 4711`. */
  label: string;
  /** Minor units: all it could pay of this sale. */
  amount: number;
}

/** What is paid by one tender's offer. */
export interface TenderPart extends TenderOffer {
  tender: string;
}

/** How a sale is paid: what tenders pay, in the order in which they are drained, and what is left. */
export interface TenderPlan {
  parts: readonly TenderPart[];
  left: number;
}

/** Where tenders stand: those before are drained first. A number in between is a place too. */
export const tenderOrder = { giftCard: 100, credit: 200 } as const;

/**
 * A way to pay out of what the shop owes already. Nothing of it calls another service: rows are locked.
 * @example definePackage({ extends: [tenders.with({
 *            name: 'gift_card', order: tenderOrder.giftCard, problems: [giftCardSpent],
 *            plan: (db, { source, currency }) => findCardsOf(db, source.id, currency),
 *            async commit(tx, orderId, { reference, amount }) {
 *              const [card] = await tx.query(debitIfThereIsEnough, [reference, amount, orderId]);
 *              if (!card) throw giftCardSpent();
 *            },
 *            reverse: (tx, orderId, { reference }, amount, key) => credit(tx, reference, amount, key) })] })
 */
export interface Tender {
  /** Kept as the provider of its payments; no other tender's or adapter's, up to 100 characters. */
  readonly name: string;
  /** See tenderOrder; tenders of the same order stand in dependency order of their packages. */
  readonly order: number;
  /** What `commit` throws. */
  readonly problems: readonly ProblemType[];
  /**
   * What it could pay of the sale, what is drained first coming first. It reads and changes nothing; what is more than
   * is due, or is due no more after those before it, is cut off. Tenders are asked without waiting for one another.
   */
  plan(db: TenantDatabase, sale: TenderSale): Promise<readonly TenderOffer[]> | readonly TenderOffer[];
  /**
   * Takes the part, in the order's transaction, by one conditional statement: a problem of its own where there is not
   * enough any more.
   */
  commit(tx: TenantDatabase, orderId: string, part: Omit<TenderPart, 'label'>): Promise<void>;
  /**
   * Gives some or all of a part back. The amounts of all calls are never above the part's.
   * @param key unique for each call, of the refund
   */
  reverse(
    tx: TenantDatabase,
    orderId: string,
    part: Omit<TenderPart, 'label'>,
    amount: number,
    key: string,
  ): Promise<void>;
}

/** Where gift cards, store credit and the like join in paying. */
export const tenders = extensionPoint<Tender>('payment.tender');

/** The tenders of a box, in their order. @throws Error for a name that stands for something else */
function tendersIn(box: HasExtensions): Tender[] {
  const known = tenders.of(box).toSorted((one, other) => one.order - other.order);
  const names = known.map(({ name }) => name);
  const taken = names.find(
    (name, index) => name === offline || adapterOf(box, name) !== null || names.indexOf(name) !== index,
  );
  if (taken !== undefined) throw new Error(`the tender ${taken} has the name of something else`);
  return known;
}

/** The tender that speaks for a payment, null when a provider does, or nobody. */
export function tenderOf(box: HasExtensions, name: string): Tender | null {
  return tenders.of(box).find((tender) => tender.name === name) ?? null;
}

/** What the tenders of a box throw, for the routes that place orders to declare beside payment's own. */
export function tenderProblemsIn(box: HasExtensions): ProblemType[] {
  const known = tenders.of(box);
  return known.length > 0 ? [paymentExceedsBalance, ...known.flatMap(({ problems }) => problems)] : [];
}

/**
 * How a sale would be paid. Nothing is held: in the order's transaction it is planned once more.
 * @throws Error naming the tender that offers what cannot be
 */
export async function planTenders(db: TenantDatabase, sale: TenderSale): Promise<TenderPlan> {
  const known = sale.due > 0 ? tendersIn(db) : [];
  const ask = (one: TenantDatabase) => Promise.all(known.map((tender) => tender.plan(one, sale)));
  const offers = known.length > 0 ? await db.pipelined(ask) : [];
  let left = sale.due;
  const parts: TenderPart[] = [];
  for (const [index, { name: tender }] of known.entries()) {
    for (const { reference, label, amount: most } of offers[index] ?? []) {
      const isAgain = parts.some((part) => part.tender === tender && part.reference === reference);
      if (isAgain || !Number.isSafeInteger(most) || most < 0) {
        throw new Error(`the tender ${tender} offers ${most} of ${reference}${isAgain ? ' twice' : ''}`);
      }
      const amount = Math.min(most, left);
      if (amount > 0) parts.push({ tender, reference, label, amount });
      left -= amount;
    }
  }
  return { parts, left };
}

/**
 * Takes what tenders pay and books it on the order, in the transaction that places it, after its row. Parts are taken in
 * the order of their tenders and references, so that two orders that pay with the same cards never wait for each other.
 * @throws payment_exceeds_balance (409) where it is more than is owed, and what the tenders throw
 */
export async function commitTenders(tx: TenantDatabase, orderId: string, { parts }: TenderPlan): Promise<void> {
  if (parts.length === 0) return;
  const order = (await lockOrder(tx, orderId)) as OrderState;
  const { currency } = order;
  const total = parts.reduce((sum, { amount }) => sum + amount, 0);
  const owed = Math.max(0, balanceOf(order));
  if (total > owed) throw paymentExceedsBalance(`${format(money(owed, currency))} is owed.`);
  for (const tender of tendersIn(tx)) {
    const own = parts.filter((part) => part.tender === tender.name);
    for (const { label: _, ...part } of own.toSorted(byReference)) await tender.commit(tx, orderId, part);
  }
  for (const part of parts) await bookPart(tx, order, part);
  await settleOrder(tx, order, `Received ${parts.map((part) => describe(part, currency)).join(', ')}`);
}

function byReference({ reference: one }: TenderPart, { reference: other }: TenderPart): number {
  return one < other ? -1 : 1;
}

function describe({ amount, label }: TenderPart, currency: string): string {
  return `${format(money(amount, currency))} by ${label}`;
}

/** The payment that a part is. */
async function bookPart(
  tx: TenantDatabase,
  { id: orderId, currency }: OrderState,
  { tender, reference, label, amount }: TenderPart,
): Promise<void> {
  const paid = { orderId, provider: tender, method: tender, currency, amount, capturedAmount: amount, reference };
  const payment = await insertPayment(
    tx,
    { ...paid, captureMode: 'automatic', status: 'captured' },
    { type: 'capture', note: label },
  );
  await publishOf(tx, paymentCaptured, payment, amount);
}

/** The part that a payment was. */
export function partOf({ provider, reference, amount }: PaymentRow): Omit<TenderPart, 'label'> {
  return { tender: provider, reference: reference ?? '', amount };
}

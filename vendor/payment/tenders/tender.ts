/**
 * Tenders: what pays for an order besides a provider, such as gift cards and store credit. Each part that a tender pays
 * is a payment of the order with the tender's name as provider, so that balance, lists and refunds work alike.
 */
import { extensionPoint, type HasExtensions, type ProblemType, type TenantDatabase } from '@carton/runtime';
import { adapterOf } from '../adapters/bound.ts';
import { offline, type PaymentRow } from '../payments/store.ts';
import { paymentExceedsBalance } from '../problems.ts';

/** A sale to be paid. Amounts are minor units of `currency`. */
export interface TenderSale {
  /** What becomes the order, as in checkout's `Placing`: `{ type: 'cart', id }`. */
  source: { readonly type: string; readonly id: string };
  memberId: string | null;
  currency: string;
  /** Above zero. */
  due: number;
}

/** A single card or account that could pay. */
export interface TenderOffer {
  /** The tender's identifier of it, by which it is debited; unique within the tender, up to 200 characters. */
  reference: string;
  /** Shown to the shopper: `Gift card ending in 4711`. */
  label: string;
  /** Minor units: the most it could pay of this sale. */
  amount: number;
}

/** What one offer of a tender pays. */
export interface TenderPart extends TenderOffer {
  tender: string;
}

/** Positions of known tenders; lower ones are drained first. Other tenders may use numbers in between. */
export const tenderOrder = { giftCard: 100, credit: 200 } as const;

/**
 * A way to pay with what the store already owes the shopper. It must not call another service: rows are locked.
 * @example definePackage({ extends: [tenders.with({
 *            name: 'gift_card', order: tenderOrder.giftCard, problems: [giftCardSpent],
 *            plan: (db, { source, currency }) => findCardsOf(db, source.id, currency),
 *            async commit(tx, orderId, { reference, amount }) {
 *              const [card] = await tx.query(debitIfSufficient, [reference, amount, orderId]);
 *              if (!card) throw giftCardSpent();
 *            },
 *            reverse: (tx, orderId, { reference }, amount, key) => credit(tx, reference, amount, key) })] })
 */
export interface Tender {
  /** Stored as the provider of its payments; unique among tenders and adapters, up to 100 characters. */
  readonly name: string;
  /** See tenderOrder. Tenders with the same order follow the dependency order of their packages. */
  readonly order: number;
  /** What `commit` throws. */
  readonly problems: readonly ProblemType[];
  /**
   * What it could pay of the sale, in the order to be drained. It only reads. Amounts above what is due, or still due
   * after earlier tenders, are cut. Tenders are asked concurrently.
   */
  plan(db: TenantDatabase, sale: TenderSale): Promise<readonly TenderOffer[]> | readonly TenderOffer[];
  /**
   * Takes the part in the order's transaction, with one conditional statement. Throws a problem of its own when there
   * is not enough left.
   */
  commit(tx: TenantDatabase, orderId: string, part: Omit<TenderPart, 'label'>): Promise<void>;
  /**
   * Returns all or some of a part. The amounts of all calls never exceed the part's.
   * @param key idempotency key of the refund, unique for each call
   */
  reverse(
    tx: TenantDatabase,
    orderId: string,
    part: Omit<TenderPart, 'label'>,
    amount: number,
    key: string,
  ): Promise<void>;
}

/** Gift cards, store credit and other tenders. */
export const tenders = extensionPoint<Tender>('payment.tender');

/** The tenders of a box, in order. @throws Error for a name that is in use */
export function tendersIn(box: HasExtensions): Tender[] {
  const known = tenders.of(box).toSorted((one, other) => one.order - other.order);
  const names = known.map(({ name }) => name);
  const clashing = names.find(
    (name, index) => name === offline || adapterOf(box, name) !== null || names.indexOf(name) !== index,
  );
  if (clashing !== undefined) throw new Error(`the tender name ${clashing} is in use`);
  return known;
}

/** The tender with this name, null when there is none. */
export function tenderOf(box: HasExtensions, name: string): Tender | null {
  return tenders.of(box).find((tender) => tender.name === name) ?? null;
}

export const tenderNames = (box: HasExtensions): string[] => tenders.of(box).map(({ name }) => name);

/** What the tenders of a box throw, for routes that place orders to declare beside payment's own problems. */
export function tenderProblemsIn(box: HasExtensions): ProblemType[] {
  const known = tenders.of(box);
  return known.length > 0 ? [paymentExceedsBalance, ...known.flatMap(({ problems }) => problems)] : [];
}

/** The part that a payment represents. */
export function partOf({ provider, reference, amount }: PaymentRow): Omit<TenderPart, 'label'> {
  return { tender: provider, reference: reference ?? '', amount };
}

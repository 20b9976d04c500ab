/**
 * Extension point for placing an order: packages contribute steps that require preconditions, claim limited resources
 * before the order is written, and write rows with it.
 */
import type { PricedSale } from '@carton/cart';
import type { Store } from '@carton/core';
import type { StockReference } from '@carton/inventory';
import type { OrderDraft } from '@carton/order';
import type { TenderSale } from '@carton/payment';
import {
  extensionPoint,
  type FieldError,
  type ProblemDefinition,
  type ProblemType,
  type RequestClient,
  type ShopperSession,
  type TenantDatabase,
} from '@carton/runtime';

/** An order in progress, the input of every step. Amounts are minor units of the sale's currency. */
export interface Placing {
  /** The id of the new order; for a preview, a random one. */
  readonly orderId: string;
  /** The source of the order: `cart`, or a type of another package (a draft, a renewal). */
  readonly source: { readonly type: string; readonly id: string };
  /** The priced sale. If stock was not checked, no line has the issue `insufficient_stock`: the `stock` step takes it. */
  readonly sale: PricedSale;
  readonly store: Store;
  /** The shopper who orders; null if staff or the box places the order. */
  readonly shopper: Pick<ShopperSession, 'hash' | 'memberId'> | null;
  /** The payment method, or null; in a preview that of the query. */
  readonly paymentMethod: string | null;
  /** The reference under which stock is reserved for the order, or null. */
  readonly reservation: StockReference | null;
  /** The customer details known so far. */
  readonly customer: Omit<OrderDraft['customer'], 'email'> & { readonly email: string | null };
  /** The version of the store's terms that the shopper accepts; null or absent for none. */
  readonly termsVersion?: string | null;
  /** The client that the shopper orders with; null or absent where nothing is counted by it. */
  readonly client?: Pick<RequestClient, 'address' | 'isShared'> | null;
  /** The currency of the total that the shopper says to have seen; null or absent if they say nothing. */
  readonly seenCurrency?: string | null;
  /** Whether this is GET /checkout: only the cart's details are known, and missing ones can still be sent. */
  readonly isPreview: boolean;
}

/** An unmet precondition of an order. */
export interface Requirement {
  /** One of the codes that the step declares. */
  code: string;
  /** Tells the shopper how to meet it. */
  detail: string;
  /** The fields of POST /checkout that meet it. GET /checkout shows the pointer of the first. */
  errors?: FieldError[];
  /** Seconds after which the order may be possible, for a problem with status 503. */
  retryAfter?: number;
}

/**
 * Order values of steps, lowest first. Numbers in between are valid too. Stock is claimed before anything else, here as
 * in every operation that undoes an order: the fixed lock order prevents deadlocks.
 */
export const placingOrder = { shopper: 100, cart: 200, customer: 300, stock: 400, claim: 500, record: 600 } as const;

/**
 * A step of placing an order. The parts of all steps start in order without waiting for each other, so that their
 * statements are pipelined: a part with one statement takes no extra round trip. Steps must not call other services,
 * because rows are locked.
 * @example definePackage({ extends: [orderPlacing.with({
 *            name: 'gift-card', order: placingOrder.claim, problems: [giftCardSpent],
 *            async claim(tx, { orderId, source }) {
 *              const [card] = await tx.query(debitOnce, [orderId, source.id]);
 *              if (!card) throw giftCardSpent();
 *            } })] })
 */
export interface PlacingStep {
  readonly name: string;
  /** See placingOrder. Steps with the same order run in dependency order of their packages. */
  readonly order: number;
  /** The codes of its requirements, each with the problem that POST /checkout returns if it is not met. */
  readonly requirements?: Readonly<Record<string, ProblemDefinition>>;
  /** Problems thrown by `claim` and `write`. */
  readonly problems?: readonly ProblemType[];
  /**
   * Returns unmet requirements. GET /checkout lists them, POST /checkout fails with the first. Read-only.
   */
  require?(db: TenantDatabase, placing: Placing): Promise<readonly Requirement[]> | readonly Requirement[];
  /**
   * Claims a limited resource in the order's transaction, before the order's row exists: one conditional statement that
   * leads to a problem if it affects no row.
   */
  claim?(tx: TenantDatabase, placing: Placing): Promise<unknown>;
  /**
   * Writes rows that belong to the order, in its transaction, after its row, so that they can reference it. Returns
   * `AllSent` where it can: the commit then shares the round trip.
   */
  write?(tx: TenantDatabase, placing: Placing, order: DraftToWrite): Written;
}

/** What a write returns; undefined if there was nothing to write. */
export type Written = Promise<unknown> | AllSent | undefined;

/**
 * The answers of statements that are all sent. Nothing is read from them: the order may be committed before they arrive. An
 * error of a statement rolls the order back.
 */
export class AllSent {
  readonly answers: Promise<unknown>;

  constructor(answers: Promise<unknown>) {
    this.answers = answers;
  }
}

/** The order being written. */
export type DraftToWrite = OrderDraft & { readonly id: string };

/** Extension point for promotions, gift cards, shipping and others to take part in placing an order. */
export const orderPlacing = extensionPoint<PlacingStep>('checkout.placing');

/** The sale as tenders see it, with the amount due. */
export function tenderSaleOf({ source, sale, shopper }: Pick<Placing, 'source' | 'sale' | 'shopper'>): TenderSale {
  const { currency, memberId } = sale.sale;
  return { source, memberId: shopper?.memberId ?? memberId, currency, due: sale.totals.total };
}

/**
 * Placing an order as a row of steps, to which packages contribute: what has to be true for it, what is claimed for it
 * before it is written, and what is written beside it.
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
  type ShopperSession,
  type TenantDatabase,
} from '@carton/runtime';

/** An order on its way: what a step looks at. Amounts are minor units of the sale's currency. */
export interface Placing {
  /** That the order gets, or would get. */
  readonly orderId: string;
  /** What becomes the order: `cart`, or what another package sells (a draft, a renewal). */
  readonly source: { readonly type: string; readonly id: string };
  /** With its prices. Where stock was not looked at, `insufficient_stock` is no issue of its lines: it is taken. */
  readonly sale: PricedSale;
  readonly store: Store;
  /** Who orders; null when staff or the box itself places the order. */
  readonly shopper: Pick<ShopperSession, 'hash' | 'memberId'> | null;
  /** The method that pays, null for none. */
  readonly paymentMethod: string | null;
  /** Under which stock is reserved for it, to be sold with it; null when there is none. */
  readonly reservation: StockReference | null;
  /** What is known of the customer. */
  readonly customer: Omit<OrderDraft['customer'], 'email'> & { readonly email: string | null };
  /** Nobody has ordered yet: the shopper looks at what is missing, and has told no more than the cart knows. */
  readonly isPreview: boolean;
}

/** What has to be true before an order is placed, and is not. */
export interface Requirement {
  /** One of those that the step declares. */
  code: string;
  /** For the shopper: what to do about it. */
  detail: string;
  /** Of the body of POST /checkout. */
  errors?: FieldError[];
}

/**
 * The places of steps, in the order in which they are asked, claim and write. A number in between is a place too.
 * Stock is claimed before anything else, here as wherever an order is undone, so that no two wait for each other.
 */
export const placingOrder = { shopper: 100, cart: 200, customer: 300, stock: 400, claim: 500, record: 600 } as const;

/**
 * A step of placing an order. The parts of all steps are begun in their order without waiting for one another, so that
 * their statements travel together: a part of one statement costs no round trip of its own. None calls another service:
 * rows are locked.
 * @example definePackage({ extends: [orderPlacing.with({
 *            name: 'gift-card', order: placingOrder.claim, problems: [giftCardSpent],
 *            async claim(tx, { orderId, source }) {
 *              const [card] = await tx.query(debitOnce, [orderId, source.id]);
 *              if (!card) throw giftCardSpent();
 *            } })] })
 */
export interface PlacingStep {
  readonly name: string;
  /** See placingOrder; steps of the same order stand in dependency order of their packages. */
  readonly order: number;
  /** The codes of its requirements, each with the problem that POST /checkout answers while it is not met. */
  readonly requirements?: Readonly<Record<string, ProblemDefinition>>;
  /** What `claim` and `write` throw. */
  readonly problems?: readonly ProblemType[];
  /**
   * What is not as it has to be. GET /checkout shows it, POST /checkout refuses with the first. It reads and changes
   * nothing.
   */
  require?(db: TenantDatabase, placing: Placing): Promise<readonly Requirement[]> | readonly Requirement[];
  /**
   * Takes what there may not be enough of, in the order's transaction, before the order is there: by one conditional
   * statement, and a problem where that finds nothing.
   */
  claim?(tx: TenantDatabase, placing: Placing): Promise<unknown>;
  /** Writes what belongs to the order, in its transaction, after its row: statements may refer to it by its id. */
  write?(tx: TenantDatabase, placing: Placing, order: DraftToWrite): Promise<unknown>;
}

/** The order as it is being written: what it will read as is not known before. */
export type DraftToWrite = OrderDraft & { readonly id: string };

/** Where promotions, gift cards, shipping and the like join in placing an order. */
export const orderPlacing = extensionPoint<PlacingStep>('checkout.placing');

/** What tenders are asked to pay of a sale. */
export function tenderSaleOf({ source, sale, shopper }: Pick<Placing, 'source' | 'sale' | 'shopper'>): TenderSale {
  const { currency, memberId } = sale.sale;
  return { source, memberId: shopper?.memberId ?? memberId, currency, due: sale.totals.total };
}

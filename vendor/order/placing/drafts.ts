/**
 * Orders to create, as other packages describe them.
 */
import type { AdjustmentKind, OrderAddress, OrderAttribution, PaymentStatus } from '../schemas.ts';
import type { OrderLineRow } from '../store.ts';

export interface OrderLineDraft
  extends Omit<OrderLineRow, 'id' | 'properties' | 'requiresShipping' | 'restockedQuantity'> {
  /** Default: a new id. */
  id?: string;
  properties?: OrderLineRow['properties'];
  /** Default: true. */
  requiresShipping?: boolean;
  /** The caller's id of the line, referred to by adjustments. */
  lineId?: string;
}

/** An adjustment as in a cart. A tax becomes a tax line. */
export interface OrderAdjustmentDraft {
  kind: AdjustmentKind | 'tax';
  code: string;
  label: string;
  /** Zero or above for shipping and tax, zero or below for discount and credit. */
  amount: number;
  /** `lineId` of the line it applies to; omitted for the entire order. */
  lineId?: string;
  /** For a discount or a tax: `code` of the shipping charge it applies to. */
  shippingCode?: string;
  /** Where it comes from: `{ type: 'promotion', id: … }`, `{ type: 'tax_rate', id: … }`. */
  source?: { type: string; id: string };
  /** The prices already contain this tax. */
  included?: boolean;
  /** For a tax at a single rate: per cent. */
  rate?: number;
}

/** An order to create. Amounts are minor units of `currency`, up to Number.MAX_SAFE_INTEGER; the caller computes totals. */
export interface OrderDraft {
  /** Default: a new id. */
  id?: string;
  number: string;
  /** The cart that becomes the order (at most one); null without a cart. */
  cartId: string | null;
  /** `session.hash` and `session.memberId` of the shopper who placed the order; both null for staff. */
  sessionHash: string | null;
  memberId: string | null;
  currency: string;
  regionId?: string | null;
  /** BCP 47: the language in which the shopper ordered. */
  locale?: string | null;
  /** When the order is canceled if still unpaid; if omitted, never. */
  payBy?: Date | null;
  /** Until when the order waits for its payment, which places it; if omitted, it is placed now. */
  pendingUntil?: Date | null;
  lines: readonly OrderLineDraft[];
  adjustments?: readonly OrderAdjustmentDraft[];
  /** As in the totals of a cart: discount and credit are zero or below. */
  totals: {
    subtotal: number;
    discount: number;
    shipping: number;
    tax: number;
    credit: number;
    /** What the total was rounded by. Default: zero. */
    rounding?: number;
    total: number;
  };
  customer: {
    email: string;
    name?: string | null;
    phone?: string | null;
    address?: OrderAddress | null;
    billing?: OrderAddress | null;
  };
  notes?: string | null;
  /** How the shopper came to the store. */
  attribution?: OrderAttribution | null;
  /** The version of the store's terms that the shopper accepts with the order. */
  termsVersion?: string | null;
  metadata?: Record<string, unknown>;
  /** Default: `unpaid`, or `paid` if the total is zero. */
  paymentStatus?: PaymentStatus;
}

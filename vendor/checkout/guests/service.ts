/**
 * Limits the units of stock that guests hold in unpaid orders and in carts whose stock is reserved: by session, by e-mail
 * address and by client address, each in one row an order or a cart. What is authorized, or paid
 * in full, when the order is placed is not counted, nor are orders of members and of staff. Whether a counted order still
 * holds its units is read from the order itself, and of a cart from its reservation.
 *
 * The orders of a tenant are placed one after another from the draw of their number, which locks the sequence
 * (`placeSale`). The rows are counted and written after it, so two requests at once see each other's.
 */
import type { PricedSale } from '@carton/cart';
import { lockOrderNumbers, type Store } from '@carton/core';
import { isMethodByHand, offersPaymentOnline, planTenders, takesPaymentsOnline, tenderNames } from '@carton/payment';
import {
  addressBlock,
  job,
  type Problem,
  type RequestClient,
  type ShopperSession,
  type TenantDatabase,
} from '@carton/runtime';
import { unpaidUnitsLimit } from '../problems.ts';
import { checkoutSettings } from '../settings.ts';
import { type Placing, type PlacingStep, placingOrder, type Requirement, tenderSaleOf } from '../steps.ts';
import {
  type Count,
  type CountedUnits,
  countUnits,
  countWithOrder,
  countWithReservation,
  deleteEndedReservations,
  deleteEndedUnits,
} from './store.ts';

/** The client of an order: its address, and whether other clients may share it. */
export type OrderClient = Pick<RequestClient, 'address' | 'isShared'>;

/** A guest who orders. */
export interface Guest {
  sessionHash: string | null;
  email: string | null;
  client: OrderClient | null;
}

type Lines = readonly { variantId: string | null; quantity: number }[];

/** What a guest wants to have set aside, with the cart that it comes from. */
export interface Wanted {
  cartId: string;
  lines: Lines;
  /** Whether the order takes uses of promotions, which may be few: it counts as one unit at least. */
  takesUses?: boolean;
}

/** Whether an order of the sale takes uses of promotions. */
export const takesUses = ({ adjustments }: Pick<PricedSale, 'adjustments'>): boolean =>
  adjustments.some(({ kind }) => kind === 'discount');

/** The limit of unpaid orders; null without one: in stores that wait for payments by hand only, there is none. */
export function guestLimitOf(store: Store, db: TenantDatabase): number | null {
  return takesPaymentsOnline(db) ? checkoutSettings.of(store, db).guestUnpaidUnits : null;
}

/** The limit of what carts reserve, whatever the methods of payment; null without one. */
export function reservationLimitOf(store: Store, db: TenantDatabase): number | null {
  return checkoutSettings.of(store, db).guestUnpaidUnits;
}

/** The shopper as a guest; null for a member, and for staff and the box. */
export function guestOf(
  shopper: Pick<ShopperSession, 'hash' | 'memberId'> | null,
  email: string | null,
  client: OrderClient | null,
): Guest | null {
  return shopper && shopper.memberId === null ? { sessionHash: shopper.hash, email, client } : null;
}

/** The keys of a guest, by kind. An address that other clients may share is none. */
function keysOf({ sessionHash, email, client }: Guest): [kind: string, value: string][] {
  return [
    ['session', sessionHash],
    ['email', email?.toLowerCase() ?? null],
    ['address', client && !client.isShared ? addressBlock(client.address) : null],
  ].filter((key): key is [string, string] => key[1] !== null);
}

function questionOf(db: TenantDatabase, guest: Guest, { cartId, lines, takesUses = false }: Wanted): CountedUnits {
  const stocked = lines.flatMap(({ variantId, quantity }) => (variantId === null ? [] : [{ variantId, quantity }]));
  return { keys: keysOf(guest), lines: stocked, cartId, tenders: tenderNames(db), least: takesUses ? 1 : 0 };
}

const isAbove = (limit: number, count: Count) => count.wanted > 0 && count.wanted + count.held > limit;

/** Whether a guest would hold too many units, as far as other requests are committed. */
export async function wouldExceed(db: TenantDatabase, limit: number, guest: Guest, wanted: Wanted): Promise<boolean> {
  return isAbove(limit, await countUnits(db, questionOf(db, guest, wanted)));
}

/**
 * Counts the units of an order that is placed unpaid, in its transaction, after its row and its number. The order is
 * refused if a key of the guest then exceeds the limit, so that nothing is stored.
 * @throws unpaid_units_limit (409)
 */
export async function holdUnits(
  tx: TenantDatabase,
  limit: number,
  guest: Guest,
  { id, ...wanted }: Wanted & { id: string },
): Promise<void> {
  const count = await countWithOrder(tx, questionOf(tx, guest, wanted), id);
  if (isAbove(limit, count)) await rejectAboveLimit(tx, limit);
}

/**
 * Counts the units that were reserved for a guest's cart in this transaction. It is the last thing that is locked: orders
 * and other reservations of the tenant that are in progress are waited for, so that all are counted.
 * @returns false above the limit: the caller releases them
 */
export async function holdReserved(tx: TenantDatabase, limit: number, guest: Guest, wanted: Wanted): Promise<boolean> {
  await lockOrderNumbers(tx);
  return !isAbove(limit, await countWithReservation(tx, questionOf(tx, guest, wanted)));
}

/** @throws unpaid_units_limit (409), unless the store has disabled every method that is paid online */
async function rejectAboveLimit(db: TenantDatabase, limit: number): Promise<void> {
  if (await offersPaymentOnline(db)) throw unpaidUnitsLimit(detailOf(limit), { members: { limit } });
}

/** @returns unpaid_units_limit (409), for a reservation */
export function reservedAboveLimit(limit: number): Problem {
  const detail = `A guest may have ${unitsOf(limit)} in unpaid orders and reserved carts. Order without a reservation, or reserve less.`;
  return unpaidUnitsLimit(detail, { members: { limit } });
}

const unitsOf = (limit: number) => `${limit} ${limit === 1 ? 'unit' : 'units'}`;

function detailOf(limit: number): string {
  return `A guest may have ${unitsOf(limit)} in unpaid orders. Pay the open orders first, complete the payment before ordering, or order less.`;
}

async function requireFew(db: TenantDatabase, placing: Placing): Promise<Requirement[]> {
  const { isPreview, source, shopper, customer, client = null, store, sale, paymentMethod } = placing;
  const limit = guestLimitOf(store, db);
  const guest = guestOf(shopper, customer.email, client);
  // Any other order may still be paid when it is placed.
  if (!isPreview || limit === null || !guest || paymentMethod === null || sale.totals.total === 0) return [];
  if (!(await isMethodByHand(db, paymentMethod))) return [];
  if (!(await wouldExceed(db, limit, guest, { cartId: source.id, lines: sale.lines, takesUses: takesUses(sale) })))
    return [];
  const { left } = await planTenders(db, tenderSaleOf(placing));
  return left === 0 ? [] : [{ code: unpaidUnitsLimit.code, detail: detailOf(limit) }];
}

/** In a preview, a requirement of orders by a method by hand. The order itself is counted by `holdUnits`. */
export const guestUnits: PlacingStep = {
  name: 'guest-units',
  order: placingOrder.customer,
  requirements: { [unpaidUnitsLimit.code]: unpaidUnitsLimit },
  require: requireFew,
};

/** Deletes the rows of orders that hold no unpaid stock any more, and of carts without a reservation. */
export async function forgetEndedOrders(db: TenantDatabase): Promise<void> {
  while (await deleteEndedUnits(db, tenderNames(db)));
  while (await deleteEndedReservations(db));
}

export const forgetGuestUnits = job({ name: 'checkout.forget-guest-units', everySeconds: 600, run: forgetEndedOrders });

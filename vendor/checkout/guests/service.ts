/**
 * Limits the units of stock that guests hold in unpaid orders and in carts whose stock is reserved: by session, by e-mail
 * address and by client address, each in one row an order or a cart (`guest-reservations.ts`). What is authorized, or paid
 * in full, when the order is placed is not counted, nor are orders of members and of staff. Whether a counted order still
 * holds its units is read from the order itself, and of a cart from its reservation.
 *
 * The orders of a tenant are placed one after another from the draw of their number, which locks the sequence
 * (`placeSale`). The rows are counted and written after it, so two requests at once see each other's.
 */
import { randomBytes } from 'node:crypto';
import type { PricedSale } from '@carton/cart';
import { lockOrderNumbers, type Store } from '@carton/core';
import { isTracked, reservedUnits } from '@carton/inventory';
import { holdsUnpaidStock } from '@carton/order';
import {
  isMethodByHand,
  offersPaymentOnline,
  paidBesideTenders,
  planTenders,
  takesPaymentsOnline,
  tenderNames,
} from '@carton/payment';
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
function keysOf({ sessionHash, email, client }: Guest): [kinds: string[], values: string[]] {
  const keys = [
    ['session', sessionHash],
    ['email', email?.toLowerCase() ?? null],
    ['address', client && !client.isShared ? addressBlock(client.address) : null],
  ].filter((key): key is [string, string] => key[1] !== null);
  return [keys.map(([kind]) => kind), keys.map(([, value]) => value)];
}

/** On `guest_units`: its order still holds the units. What tenders pay is little or much, as the shopper likes. */
const isHeld = (names: string) => `${holdsUnpaidStock} and not ${paidBesideTenders('orders.id', names)}`;

/**
 * `$2` to `$5`: kinds and values of the keys, variants and quantities of the lines; `$6`: the cart, whose own reservation
 * is not counted, since these lines take its place; `$7`: the names of tenders; `$8`: the least units.
 */
const counted = `
  hashed as (
    select encode(sha256(salt.secret || convert_to(part.kind || ' ' || part.value, 'UTF8')), 'hex') as key_hash
      from unnest($2::text[], $3::text[]) as part (kind, value) cross join salt
  ),
  wanted as (
    select greatest(coalesce(sum(part.quantity), 0), $8::integer)::bigint as units
      from unnest($4::uuid[], $5::integer[]) as part (variant_id, quantity)
     where ${isTracked('part.variant_id')}
  ),
  held as (
    select coalesce(max(sums.units), 0)::bigint as units
      from (select sum(parts.units) as units
              from (select guest_units.key_hash, guest_units.units
                      from guest_units
                      join orders on orders.tenant_id = $1 and orders.id = guest_units.order_id and ${isHeld('$7')}
                     where guest_units.tenant_id = $1 and guest_units.key_hash = any(array(select key_hash from hashed))
                    union all
                    select guest_reservations.key_hash, ${reservedUnits('cart', 'guest_reservations.cart_id')}
                      from guest_reservations
                     where guest_reservations.tenant_id = $1 and guest_reservations.cart_id <> $6::uuid
                       and guest_reservations.key_hash = any(array(select key_hash from hashed))) as parts
             group by parts.key_hash) as sums
  )`;

const ownSalt = 'select secret from guest_secrets where tenant_id = $1';

const countText = `
  with salt as (${ownSalt}), ${counted}
  select wanted.units as wanted, held.units as held from wanted cross join held`;

/** Counts, and stores what `stored` inserts. The first guest of a tenant creates its secret, `$9`. */
const countAndStore = (stored: string) => `
  with created as (
    insert into guest_secrets (tenant_id, secret) values ($1, $9::bytea) on conflict (tenant_id) do nothing returning secret
  ),
  salt as (select secret from created union all ${ownSalt}),
  ${counted},
  stored as (${stored})
  select wanted.units as wanted, held.units as held from wanted cross join held`;

/** `$10`: the order. */
const storeOrderText = countAndStore(`
    insert into guest_units (tenant_id, key_hash, order_id, units)
    select $1, hashed.key_hash, $10::uuid, wanted.units from hashed cross join wanted where wanted.units > 0`);

/** The time of the last reservation keeps the job below from deleting the row of one in progress. */
const storeReservationText = countAndStore(`
    insert into guest_reservations (tenant_id, key_hash, cart_id)
    select $1, hashed.key_hash, $6::uuid from hashed cross join wanted where wanted.units > 0
    on conflict (tenant_id, key_hash, cart_id) do update set reserved_at = now()`);

interface Count {
  /** Units of the new order or reservation. */
  wanted: number;
  /** The most units that unpaid orders and reserved carts hold under one of the keys. */
  held: number;
}

function valuesOf(db: TenantDatabase, guest: Guest, { cartId, lines, takesUses = false }: Wanted): unknown[] {
  const stocked = lines.filter(({ variantId }) => variantId !== null);
  const quantities = stocked.map(({ quantity }) => quantity);
  const variants = stocked.map(({ variantId }) => variantId);
  return [...keysOf(guest), variants, quantities, cartId, tenderNames(db), takesUses ? 1 : 0];
}

const isAbove = (limit: number, [count]: readonly Count[]) =>
  count !== undefined && count.wanted > 0 && count.wanted + count.held > limit;

/** Whether a guest would hold too many units, as far as other requests are committed. */
export async function wouldExceed(db: TenantDatabase, limit: number, guest: Guest, wanted: Wanted): Promise<boolean> {
  return isAbove(limit, await db.query<Count>(countText, valuesOf(db, guest, wanted)));
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
  const values = [...valuesOf(tx, guest, wanted), randomBytes(32), id];
  if (isAbove(limit, await tx.query<Count>(storeOrderText, values))) await rejectAboveLimit(tx, limit);
}

/**
 * Counts the units that were reserved for a guest's cart in this transaction. It is the last thing that is locked: orders
 * and other reservations of the tenant that are in progress are waited for, so that all are counted.
 * @returns false above the limit: the caller releases them
 */
export async function holdReserved(tx: TenantDatabase, limit: number, guest: Guest, wanted: Wanted): Promise<boolean> {
  const values = [...valuesOf(tx, guest, wanted), randomBytes(32)];
  await lockOrderNumbers(tx);
  return !isAbove(limit, await tx.query<Count>(storeReservationText, values));
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

/** Small batches, so that no statement locks its rows for long. */
const batchSize = 1000;

const forgetText = `
  delete from guest_units
   where tenant_id = $1 and (key_hash, order_id) in (
           select guest_units.key_hash, guest_units.order_id from guest_units
             join orders on orders.tenant_id = $1 and orders.id = guest_units.order_id
            where guest_units.tenant_id = $1 and not (${isHeld('$2')})
            limit ${batchSize})
  returning 1`;

const forgetReservationsText = `
  delete from guest_reservations
   where tenant_id = $1 and reserved_at < now() - interval '1 minute' and (key_hash, cart_id) in (
           select ended.key_hash, ended.cart_id from guest_reservations ended
            where ended.tenant_id = $1 and ended.reserved_at < now() - interval '1 minute'
              and ${reservedUnits('cart', 'ended.cart_id')} = 0
            limit ${batchSize})
  returning 1`;

/** Deletes the rows of orders that hold no unpaid stock any more, and of carts without a reservation. */
export async function forgetEndedOrders(db: TenantDatabase): Promise<void> {
  while ((await db.query(forgetText, [tenderNames(db)])).length === batchSize);
  while ((await db.query(forgetReservationsText)).length === batchSize);
}

export const forgetGuestUnits = job({ name: 'checkout.forget-guest-units', everySeconds: 600, run: forgetEndedOrders });

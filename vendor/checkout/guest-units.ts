/**
 * Limits the units of stock that guests hold in unpaid orders: by session, by e-mail address and by client address, each
 * in one row an order. What is paid or authorized when the order is placed is not counted, nor are orders of members and
 * of staff. Whether a counted order still holds its units is read from the order itself.
 *
 * The orders of a tenant are placed one after another from the draw of their number, which locks the sequence
 * (`placeSale`). The rows are counted and written after it, so two requests at once see each other's.
 */
import { randomBytes } from 'node:crypto';
import type { PricedSale } from '@carton/cart';
import type { Store } from '@carton/core';
import { isTracked } from '@carton/inventory';
import { holdsUnpaidStock } from '@carton/order';
import { isMethodByHand, offersPaymentOnline, takesPaymentsOnline } from '@carton/payment';
import { addressBlock, job, type RequestClient, type ShopperSession, type TenantDatabase } from '@carton/runtime';
import { type Placing, type PlacingStep, placingOrder, type Requirement } from './placing.ts';
import { unpaidUnitsLimit } from './problems.ts';
import { checkoutSettings } from './settings.ts';

/** The client of an order: its address, and whether other clients may share it. */
export type OrderClient = Pick<RequestClient, 'address' | 'isShared'>;

/** A guest who orders. */
export interface Guest {
  sessionHash: string | null;
  email: string | null;
  client: OrderClient | null;
}

type Lines = PricedSale['lines'];

/** The limit in force; null without one: in stores that wait for payments by hand only, there is none. */
export function guestLimitOf(store: Store, db: TenantDatabase): number | null {
  return takesPaymentsOnline(db) ? checkoutSettings.of(store, db).guestUnpaidUnits : null;
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

/** `$2` to `$5`: kinds and values of the keys, variants and quantities of the lines. */
const counted = `
  hashed as (
    select encode(sha256(salt.secret || convert_to(part.kind || ' ' || part.value, 'UTF8')), 'hex') as key_hash
      from unnest($2::text[], $3::text[]) as part (kind, value) cross join salt
  ),
  wanted as (
    select coalesce(sum(part.quantity), 0)::bigint as units
      from unnest($4::uuid[], $5::integer[]) as part (variant_id, quantity)
     where ${isTracked('part.variant_id')}
  ),
  held as (
    select coalesce(max(sums.units), 0)::bigint as units
      from (select sum(guest_units.units) as units
              from guest_units
              join orders on orders.tenant_id = $1 and orders.id = guest_units.order_id and ${holdsUnpaidStock}
             where guest_units.tenant_id = $1 and guest_units.key_hash = any(array(select key_hash from hashed))
             group by guest_units.key_hash) as sums
  )`;

const ownSalt = 'select secret from guest_secrets where tenant_id = $1';

const countText = `
  with salt as (${ownSalt}), ${counted}
  select wanted.units as wanted, held.units as held from wanted cross join held`;

/** The first order of a tenant creates its secret, `$7`. */
const storeText = `
  with created as (
    insert into guest_secrets (tenant_id, secret) values ($1, $7::bytea) on conflict (tenant_id) do nothing returning secret
  ),
  salt as (select secret from created union all ${ownSalt}),
  ${counted},
  stored as (
    insert into guest_units (tenant_id, key_hash, order_id, units)
    select $1, hashed.key_hash, $6::uuid, wanted.units from hashed cross join wanted where wanted.units > 0
  )
  select wanted.units as wanted, held.units as held from wanted cross join held`;

interface Count {
  /** Units of the new order. */
  wanted: number;
  /** The most units that unpaid orders hold under one of the keys. */
  held: number;
}

function linesOf(lines: Lines): [variants: string[], quantities: number[]] {
  const stocked = lines.filter(({ variantId }) => variantId !== null);
  return [stocked.map(({ variantId }) => variantId as string), stocked.map(({ quantity }) => quantity)];
}

const isAbove = (limit: number, { wanted, held }: Count) => wanted > 0 && wanted + held > limit;

/**
 * Counts the units of an order that is placed unpaid, in its transaction, after its row and its number. The order is
 * refused if a key of the guest then exceeds the limit, so that nothing is stored.
 * @throws unpaid_units_limit (409)
 */
export async function holdUnits(
  tx: TenantDatabase,
  limit: number,
  guest: Guest,
  order: { id: string; lines: Lines },
): Promise<void> {
  const values = [...keysOf(guest), ...linesOf(order.lines), order.id, randomBytes(32)];
  const [count] = await tx.query<Count>(storeText, values);
  if (isAbove(limit, count as Count)) await rejectAboveLimit(tx, limit);
}

/** @throws unpaid_units_limit (409), unless the store has disabled every method that is paid online */
export async function rejectAboveLimit(db: TenantDatabase, limit: number): Promise<void> {
  if (await offersPaymentOnline(db)) throw unpaidUnitsLimit(detailOf(limit), { members: { limit } });
}

function detailOf(limit: number): string {
  return `A guest may have ${limit} ${limit === 1 ? 'unit' : 'units'} in unpaid orders. Pay the open orders first, complete the payment before ordering, or order less.`;
}

async function requireFew(db: TenantDatabase, placing: Placing): Promise<Requirement[]> {
  const { isPreview, shopper, customer, client = null, store, sale, paymentMethod } = placing;
  const limit = guestLimitOf(store, db);
  const guest = guestOf(shopper, customer.email, client);
  // Any other order may still be paid when it is placed.
  if (!isPreview || limit === null || !guest || paymentMethod === null || sale.totals.total === 0) return [];
  if (!(await isMethodByHand(db, paymentMethod))) return [];
  const [count] = await db.query<Count>(countText, [...keysOf(guest), ...linesOf(sale.lines)]);
  return isAbove(limit, count as Count) ? [{ code: unpaidUnitsLimit.code, detail: detailOf(limit) }] : [];
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
            where guest_units.tenant_id = $1 and not (${holdsUnpaidStock})
            limit ${batchSize})
  returning 1`;

/** Deletes the rows of orders that hold no unpaid stock any more. */
export async function forgetEndedOrders(db: TenantDatabase): Promise<void> {
  while ((await db.query(forgetText)).length === batchSize);
}

export const forgetGuestUnits = job({ name: 'checkout.forget-guest-units', everySeconds: 600, run: forgetEndedOrders });

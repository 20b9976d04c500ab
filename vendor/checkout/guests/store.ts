/**
 * Queries of what guests hold: units in unpaid orders and reserved carts, by keyed hashes, and from which clients orders
 * are. The secret of a tenant is created with the first hash.
 */
import { randomBytes } from 'node:crypto';
import { isTracked, reservedUnits } from '@carton/inventory';
import { orderWithStock } from '@carton/order';
import { paidBesideTenders } from '@carton/payment';
import type { MailGuest, TenantDatabase } from '@carton/runtime';

/** What is counted for a guest. */
export interface CountedUnits {
  /** Of the guest: `session`, `email` or `address`, and its value. */
  keys: readonly (readonly [kind: string, value: string])[];
  /** What the guest wants to have set aside. */
  lines: readonly { variantId: string; quantity: number }[];
  /** The cart, whose own reservation is not counted, since these lines take its place. */
  cartId: string;
  /** Names of the tenders of the box. */
  tenders: readonly string[];
  /** The least units of the lines. */
  least: number;
}

export interface Count {
  /** Units of the new order or reservation. */
  wanted: number;
  /** The most units that unpaid orders and reserved carts hold under one of the keys. */
  held: number;
}

/** On `orderWithStock`: the order still holds the units. What tenders pay is little or much, as the shopper likes. */
const isHeld = (names: string) => `held_order.holds_unpaid_stock and not ${paidBesideTenders('held_order.id', names)}`;

/**
 * `$2` to `$5`: kinds and values of the keys, variants and quantities of the lines; `$6`: the cart; `$7`: the names of
 * tenders; `$8`: the least units. `salt` is the secret of the tenant.
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
                      cross join lateral ${orderWithStock('guest_units.order_id')} held_order
                     where guest_units.tenant_id = $1 and ${isHeld('$7')}
                       and guest_units.key_hash = any(array(select key_hash from hashed))
                    union all
                    select guest_reservations.key_hash, ${reservedUnits('cart', 'guest_reservations.cart_id')}
                      from guest_reservations
                     where guest_reservations.tenant_id = $1 and guest_reservations.cart_id <> $6::uuid
                       and guest_reservations.key_hash = any(array(select key_hash from hashed))) as parts
             group by parts.key_hash) as sums
  )`;

const valuesOf = ({ keys, lines, cartId, tenders, least }: CountedUnits) => [
  keys.map(([kind]) => kind),
  keys.map(([, value]) => value),
  lines.map(({ variantId }) => variantId),
  lines.map(({ quantity }) => quantity),
  cartId,
  tenders,
  least,
];

const ownSalt = 'select secret from guest_secrets where tenant_id = $1';

const countText = `
  with salt as (${ownSalt}), ${counted}
  select wanted.units as wanted, held.units as held from wanted cross join held`;

/** Counts what a guest wants and holds, as far as other transactions are committed. */
export async function countUnits(db: TenantDatabase, question: CountedUnits): Promise<Count> {
  const [count] = await db.query<Count>(countText, valuesOf(question));
  return count as Count;
}

/**
 * Tables of a statement, of which `salt` is the secret of the tenant. Its first guest creates it; one who waits meanwhile, for
 * another first guest, gets that one's.
 * @param created the parameter with the secret to create
 */
const saltFor = (created: string) => `
  own_secret as (${ownSalt}),
  first_secret as (
    insert into guest_secrets (tenant_id, secret)
    select $1, ${created}::bytea where not exists (select from own_secret)
    on conflict (tenant_id) do update set secret = guest_secrets.secret
    returning secret
  ),
  salt as (select secret from own_secret union all select secret from first_secret)`;

/** A secret for a tenant without one. */
export const newSecret = () => randomBytes(32);

/** Counts, and stores what `stored` inserts. @param created the parameter with the secret to create */
const countAndStore = (stored: string, created: string) => `
  with ${saltFor(created)},
  ${counted},
  stored as (${stored})
  select wanted.units as wanted, held.units as held from wanted cross join held`;

/** `$9`: the order. */
const storeOrderText = countAndStore(
  `
    insert into guest_units (tenant_id, key_hash, order_id, units)
    select $1, hashed.key_hash, $9::uuid, wanted.units from hashed cross join wanted where wanted.units > 0`,
  '$10',
);

/** Counts like `countUnits`, and stores the units of the order, if there are any. */
export async function countWithOrder(tx: TenantDatabase, question: CountedUnits, orderId: string): Promise<Count> {
  const [count] = await tx.query<Count>(storeOrderText, [...valuesOf(question), orderId, newSecret()]);
  return count as Count;
}

/** The time of the last reservation keeps the job from deleting the row of one in progress. */
const storeReservationText = countAndStore(
  `
    insert into guest_reservations (tenant_id, key_hash, cart_id)
    select $1, hashed.key_hash, $6::uuid from hashed cross join wanted where wanted.units > 0
    on conflict (tenant_id, key_hash, cart_id) do update set reserved_at = now()`,
  '$9',
);

/** Counts like `countUnits`, and stores that the cart is the guest's, if it wants any. */
export async function countWithReservation(tx: TenantDatabase, question: CountedUnits): Promise<Count> {
  const [count] = await tx.query<Count>(storeReservationText, [...valuesOf(question), newSecret()]);
  return count as Count;
}

/** Small batches, so that no statement locks its rows for long. */
const batchSize = 1000;

const forgetText = `
  delete from guest_units
   where tenant_id = $1 and (key_hash, order_id) in (
           select guest_units.key_hash, guest_units.order_id from guest_units
             cross join lateral ${orderWithStock('guest_units.order_id')} held_order
            where guest_units.tenant_id = $1 and not (${isHeld('$2')})
            limit ${batchSize})
  returning 1`;

/**
 * Deletes the rows of orders that hold no unpaid stock any more, a batch of them; false if none are left.
 * @param tenders names of the tenders of the box
 */
export async function deleteEndedUnits(db: TenantDatabase, tenders: readonly string[]): Promise<boolean> {
  return (await db.query(forgetText, [tenders])).length === batchSize;
}

const forgetReservationsText = `
  delete from guest_reservations
   where tenant_id = $1 and reserved_at < now() - interval '1 minute' and (key_hash, cart_id) in (
           select ended.key_hash, ended.cart_id from guest_reservations ended
            where ended.tenant_id = $1 and ended.reserved_at < now() - interval '1 minute'
              and ${reservedUnits('cart', 'ended.cart_id')} = 0
            limit ${batchSize})
  returning 1`;

/** Deletes the rows of carts without a reservation, a batch of them; false if none are left. */
export async function deleteEndedReservations(db: TenantDatabase): Promise<boolean> {
  return (await db.query(forgetReservationsText)).length === batchSize;
}

export async function deleteReservations(tx: TenantDatabase, cartIds: readonly string[]): Promise<void> {
  await tx.query('delete from guest_reservations where tenant_id = $1 and cart_id = any($2::uuid[])', [cartIds]);
}

/** The units of these orders, by order. */
export function exportUnits(db: TenantDatabase, orderIds: readonly string[]): Promise<object[]> {
  return db.query(
    'select distinct order_id, units from guest_units where tenant_id = $1 and order_id = any($2::uuid[]) order by 1',
    [orderIds],
  );
}

export async function deleteUnits(tx: TenantDatabase, orderIds: readonly string[]): Promise<void> {
  await tx.query('delete from guest_units where tenant_id = $1 and order_id = any($2::uuid[])', [orderIds]);
}

/**
 * Stores that an order is a guest's, in a statement of the checkout.
 * @param parts the tables of the statement
 * @param values the parameters with the id of the order, the block of addresses to which the client belongs (null if others
 *   may share it), and the secret to create (`newSecret`)
 */
export const withGuest = (parts: string, values: { order: string; block: string; created: string }) => `
  with ${saltFor(values.created)},${parts}
  insert into guest_orders (tenant_id, order_id, client_key)
  select $1, ${values.order}::uuid,
         encode(sha256(salt.secret || convert_to('address ' || ${values.block}::text, 'UTF8')), 'hex')
    from salt`;

/** The client of an order of a guest; null for any other order. */
export async function findGuestOrder(db: TenantDatabase, orderId: string): Promise<MailGuest | null> {
  const [guest] = await db.query<MailGuest>(
    'select client_key from guest_orders where tenant_id = $1 and order_id = $2',
    [orderId],
  );
  return guest ?? null;
}

export async function deleteGuestOrders(tx: TenantDatabase, orderIds: readonly string[]): Promise<void> {
  await tx.query('delete from guest_orders where tenant_id = $1 and order_id = any($2::uuid[])', [orderIds]);
}

/**
 * Queries of the tables of cart. Every text is constant, so that PostgreSQL prepares it once a connection.
 *
 * Whoever changes a cart or its lines first changes the cart's row (`touch…`, `insertCart`), which locks it and makes
 * its version go up: a cart has one writer at a time, and whoever waited for one knows it by the version.
 */
import { json, newId, rows, type ShopperSession, type TenantDatabase } from '@carton/runtime';
import { keyOfProperties, type LineProperties } from './properties.ts';
import type { VariantLine } from './sale.ts';
import type { AdminCartSummary, CartAddress, SetCartAddress } from './schemas.ts';
import { mostPieces, type statuses } from './schemas.ts';

export type AddressType = 'shipping' | 'billing';

/** Whose cart: a guest's by the hash of the session, or a member's by id. */
export interface Owner {
  by: 'session' | 'member';
  key: string;
}

/** The owner of a session's cart, null for a guest who has written nothing yet. */
export function ownerOf({ memberId, hash }: Pick<ShopperSession, 'memberId' | 'hash'>): Owner | null {
  if (memberId) return { by: 'member', key: memberId };
  return hash === null ? null : { by: 'session', key: hash };
}

/** A line of a cart is of a variant, at today's price. */
export type CartLine = Omit<VariantLine, 'unitPrice'>;

/** A cart as it is stored, with its lines. */
export interface StoredCart {
  id: string;
  status: (typeof statuses)[number];
  /** The order it became. */
  orderId: string | null;
  memberId: string | null;
  regionId: string | null;
  /** ISO 4217 */
  currency: string;
  /** BCP 47 */
  locale: string | null;
  email: string | null;
  note: string | null;
  version: number;
  createdAt: string;
  updatedAt: string;
  shippingAddress: CartAddress | null;
  billingAddress: CartAddress | null;
  lines: CartLine[];
}

interface CartRow extends Omit<StoredCart, 'shippingAddress' | 'billingAddress'> {
  addresses: Record<AddressType, CartAddress> | null;
}

const linesOf = (order: 'id' | 'variant_id') => `
  coalesce(
    (select json_agg(json_build_object('id', lines.id, 'variantId', lines.variant_id, 'quantity', lines.quantity,
                                       'properties', lines.properties) order by lines.${order}, lines.id)
       from cart_line_items lines where lines.tenant_id = $1 and lines.cart_id = carts.id),
    '[]') as lines`;

const wholeCart = (order: 'id' | 'variant_id') => `
  carts.id, carts.status, carts.order_id, carts.member_id, carts.region_id, carts.currency, carts.locale, carts.email,
  carts.note, carts.version, carts.created_at, carts.updated_at,
  (select json_object_agg(addresses.type, json_build_object(
            'name', addresses.name, 'company', addresses.company, 'line1', addresses.line1, 'line2', addresses.line2,
            'city', addresses.city, 'province', addresses.province, 'postalCode', addresses.postal_code,
            'country', addresses.country, 'phone', addresses.phone))
     from cart_addresses addresses where addresses.tenant_id = $1 and addresses.cart_id = carts.id) as addresses,
  ${linesOf(order)}`;

/** One text for each kind of owner, whose key is `$2`. */
function forOwner(text: (activeCart: string) => string): Record<Owner['by'], string> {
  return {
    session: text(`carts.tenant_id = $1 and carts.session_hash = $2 and carts.status = 'active'`),
    member: text(`carts.tenant_id = $1 and carts.member_id = $2 and carts.status = 'active'`),
  };
}

const findActive = forOwner((active) => `select ${wholeCart('id')} from carts where ${active}`);

const touchActive = forOwner(
  (active) => `update carts set version = version + 1, updated_at = now() where ${active}
               returning id, region_id, currency, locale, member_id, email, note`,
);

/**
 * The active cart is found as the statement's snapshot has it and then locked by its id alone: `for update` looks at
 * the row again after waiting, and a condition on the status would lose the cart that was completed meanwhile.
 */
const lockActive = forOwner(
  (active) => `
    with found as materialized (select carts.id, carts.version from carts where ${active})
    select ${wholeCart('variant_id')}, found.version as found_version
      from carts join found on found.id = carts.id
     where carts.tenant_id = $1
       for update of carts`,
);

function cartOf<R extends CartRow>({ addresses, ...row }: R): Omit<R, 'addresses'> & StoredCart {
  return { ...row, shippingAddress: addresses?.shipping ?? null, billingAddress: addresses?.billing ?? null };
}

/** The active cart of an owner, in one statement; its lines in the order in which they came. */
export async function findActiveCart(db: TenantDatabase, { by, key }: Owner): Promise<StoredCart | null> {
  const [row] = await db.query<CartRow>(findActive[by], [key]);
  return row ? cartOf(row) : null;
}

/** Whether a session has, or had, a cart. */
export async function hasCartOf(db: TenantDatabase, sessionHash: string): Promise<boolean> {
  const found = await db.query('select id from carts where tenant_id = $1 and session_hash = $2 limit 1', [
    sessionHash,
  ]);
  return found.length > 0;
}

/** A cart of any status, in one statement. */
export async function findCart(db: TenantDatabase, id: string): Promise<StoredCart | null> {
  const [row] = await db.query<CartRow>(
    `select ${wholeCart('id')} from carts where carts.tenant_id = $1 and carts.id = $2`,
    [id],
  );
  return row ? cartOf(row) : null;
}

/**
 * The cart that was active when the statement began, locked and as it is once locked, its lines in the order of the
 * variants' ids. `waited`: somebody else changed it in between, and the lines are those of before.
 */
export async function lockFoundCart(
  tx: TenantDatabase,
  { by, key }: Owner,
): Promise<{ cart: StoredCart; waited: boolean } | null> {
  const [row] = await tx.query<CartRow & { foundVersion: number }>(lockActive[by], [key]);
  if (!row) return null;
  const { foundVersion, ...cart } = cartOf(row);
  return { cart, waited: cart.version !== foundVersion };
}

export function listLines(tx: TenantDatabase, cartId: string): Promise<CartLine[]> {
  return tx.query<CartLine>(
    `select id, variant_id, quantity, properties from cart_line_items
      where tenant_id = $1 and cart_id = $2 order by variant_id, id`,
    [cartId],
  );
}

export type CartDetails = Pick<StoredCart, 'regionId' | 'currency' | 'locale' | 'email' | 'note'>;
export type HeldCart = CartDetails & Pick<StoredCart, 'id' | 'memberId'>;

/** Locks the active cart of an owner for a change, null when there is none. */
export async function touchActiveCart(tx: TenantDatabase, { by, key }: Owner): Promise<HeldCart | null> {
  const [row] = await tx.query<HeldCart>(touchActive[by], [key]);
  return row ?? null;
}

/** Makes the active cart of an owner, locked; null when somebody else has made one. */
export async function insertCart(
  tx: TenantDatabase,
  { by, key }: Owner,
  { regionId, currency, locale, email, note }: CartDetails,
): Promise<HeldCart | null> {
  const [row] = await tx.query<HeldCart>(
    `insert into carts (tenant_id, id, session_hash, member_id, region_id, currency, locale, email, note)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict do nothing
     returning id, region_id, currency, locale, member_id, email, note`,
    [newId(), by === 'session' ? key : null, by === 'member' ? key : null, regionId, currency, locale, email, note],
  );
  return row ?? null;
}

export async function updateDetails(tx: TenantDatabase, id: string, patch: Partial<CartDetails>): Promise<void> {
  await tx.update('carts', { id }, patch);
}

/** Carts outlive the region they were in: a forgotten one does not keep a shop from closing it. */
export async function leaveRegion(tx: TenantDatabase, regionId: string): Promise<void> {
  await tx.query('update carts set region_id = null where tenant_id = $1 and region_id = $2', [regionId]);
}

/**
 * Adds pieces to the line of a variant with these properties, which is made if need be. Answers the id of the line, null
 * when it would hold too many.
 * @param properties normalized
 */
export async function addToLine(
  tx: TenantDatabase,
  cartId: string,
  { variantId, quantity, properties }: { variantId: string; quantity: number; properties: LineProperties },
): Promise<string | null> {
  const [line] = await tx.query<{ id: string }>(
    `insert into cart_line_items (tenant_id, id, cart_id, variant_id, quantity, properties, properties_key)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (tenant_id, cart_id, variant_id, properties_key) do update
        set quantity = cart_line_items.quantity + excluded.quantity, updated_at = now()
      where cart_line_items.quantity + excluded.quantity <= ${mostPieces}
     returning id`,
    [newId(), cartId, variantId, quantity, json(properties), keyOfProperties(properties)],
  );
  return line?.id ?? null;
}

/** False when the cart has no such line. */
export async function setQuantity(tx: TenantDatabase, cartId: string, id: string, quantity: number): Promise<boolean> {
  const lines = await tx.update('cart_line_items', { cartId, id }, { quantity, updatedAt: new Date() });
  return lines.length > 0;
}

/** Removes one line of a cart, or all of them; answers how many went. */
export async function removeLines(tx: TenantDatabase, cartId: string, id?: string): Promise<number> {
  return (await tx.remove('cart_line_items', { cartId, id })).length;
}

export async function setAddress(
  tx: TenantDatabase,
  cartId: string,
  type: AddressType,
  { name, company, line1, line2, city, province, postalCode, country, phone }: SetCartAddress,
): Promise<void> {
  const optional = (value: string | null | undefined) => value ?? null;
  await tx.query(
    `insert into cart_addresses (tenant_id, cart_id, type, name, company, line1, line2, city, province, postal_code,
                                 country, phone)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
     on conflict (tenant_id, cart_id, type) do update
        set name = excluded.name, company = excluded.company, line1 = excluded.line1, line2 = excluded.line2,
            city = excluded.city, province = excluded.province, postal_code = excluded.postal_code,
            country = excluded.country, phone = excluded.phone, updated_at = now()`,
    [
      cartId,
      type,
      name,
      optional(company),
      line1,
      optional(line2),
      city,
      optional(province),
      optional(postalCode),
      country,
      optional(phone),
    ],
  );
}

/** The cart has become an order: its lines go. In one statement. False when it is not active. */
export async function markCompleted(tx: TenantDatabase, id: string, orderId: string): Promise<boolean> {
  const rows = await tx.query(
    `with emptied as (delete from cart_line_items where tenant_id = $1 and cart_id = $2)
     update carts set status = 'completed', order_id = $3, version = version + 1, updated_at = now()
      where tenant_id = $1 and id = $2 and status = 'active'
     returning id`,
    [id, orderId],
  );
  return rows.length > 0;
}

/**
 * Moves the lines and addresses of one cart to another and marks it merged. Quantities of one variant with the same
 * properties add up, to the most that a line holds; of the addresses the other cart keeps its own. Both carts are locked.
 */
export async function moveInto(tx: TenantDatabase, fromId: string, toId: string): Promise<void> {
  await tx.query(
    `with added as (
       update cart_line_items kept
          set quantity = least(kept.quantity + moved.quantity, ${mostPieces}), updated_at = now()
         from cart_line_items moved
        where kept.tenant_id = $1 and kept.cart_id = $3
          and moved.tenant_id = $1 and moved.cart_id = $2 and moved.variant_id = kept.variant_id
          and moved.properties_key = kept.properties_key
       returning moved.id
     ),
     gone as (delete from cart_line_items where tenant_id = $1 and cart_id = $2 and id in (select id from added))
     update cart_line_items set cart_id = $3
      where tenant_id = $1 and cart_id = $2 and id not in (select id from added)`,
    [fromId, toId],
  );
  await tx.query(
    `with moved as (delete from cart_addresses where tenant_id = $1 and cart_id = $2 returning *)
     insert into cart_addresses (tenant_id, cart_id, type, name, company, line1, line2, city, province, postal_code,
                                 country, phone)
     select tenant_id, $3, type, name, company, line1, line2, city, province, postal_code, country, phone from moved
     on conflict (tenant_id, cart_id, type) do nothing`,
    [fromId, toId],
  );
  await tx.query(
    `update carts set status = 'merged', version = version + 1, updated_at = now() where tenant_id = $1 and id = $2`,
    [fromId],
  );
}

export const { page: listCarts } = rows<AdminCartSummary>({
  table: 'carts',
  noun: 'cart',
  computed: {
    itemCount: `select coalesce(sum(quantity), 0) from cart_line_items lines
                 where lines.tenant_id = carts.tenant_id and lines.cart_id = carts.id`,
  },
});

/**
 * Queries of the table of carts; those of their lines are in `items/store.ts`, of their addresses in `details/store.ts`.
 * Every SQL text is constant, so that PostgreSQL prepares it once per connection.
 *
 * Every writer of a cart or its lines updates the cart's row first (`touch…`, `insertCart`), which locks the row and
 * increments its version: a cart has one writer at a time, and a transaction that waited for another one can tell by the
 * version.
 */
import { ownStore } from '@carton/core';
import { hasReservation } from '@carton/inventory';
import { regionById } from '@carton/region';
import {
  type HasExtensions,
  keepsReferenceData,
  memberTaxNumbers,
  newId,
  onceForBox,
  referenceVersion,
  type Subject,
  type TenantDatabase,
} from '@carton/runtime';
import { forOwner, type Owner } from './owner-store.ts';
import type { SaleAddress, VariantLine } from './pricing/sale.ts';
import { stepsOf } from './pricing/totals.ts';
import type { CartAddress, statuses } from './schemas.ts';
import { chosenCountry, findTermsAt, placeOf } from './terms-store.ts';

export type AddressType = 'shipping' | 'billing';

/** A line of a cart always has a variant, at its current price. */
export type CartLine = Omit<VariantLine, 'unitPrice'>;

/** A cart as it is stored, with its lines. */
export interface StoredCart {
  id: string;
  status: (typeof statuses)[number];
  /** The order that the cart became. */
  orderId: string | null;
  memberId: string | null;
  /** The region whose prices apply: the chosen one, or the one that follows from the address; null if the store has none. */
  regionId: string | null;
  /** ISO 4217: that of the region. */
  currency: string;
  /** As the shopper has chosen it; null if the region follows from the address. */
  chosenRegionId: string | null;
  /** The currency of the prices that the shopper has seen or chosen: another one than `currency` is an issue. */
  seenCurrency: string;
  /** Chosen by the shopper, for taxes and shipping while no address has a country. */
  country: string | null;
  /** BCP 47 */
  locale: string | null;
  email: string | null;
  note: string | null;
  /** That of the cart, else the member's. */
  taxNumber: string | null;
  version: number;
  createdAt: string;
  updatedAt: string;
  shippingAddress: CartAddress | null;
  billingAddress: CartAddress | null;
  /** Where the shopper picks up all goods, in place of the shipping address. */
  pickupAddress: SaleAddress | null;
  lines: CartLine[];
  /** What is chosen for the cart, by the name of the totals step. */
  choices: Readonly<Record<string, unknown>>;
  /** Whether stock was reserved for the cart when it was read. */
  isReserved: boolean;
  /** The version of the tenant's reference data when the cart was read. */
  referenceVersion: string | null;
}

interface CartRow extends Omit<StoredCart, 'shippingAddress' | 'billingAddress' | 'chosenRegionId' | 'seenCurrency'> {
  addresses: Partial<Record<AddressType, CartAddress>> | null;
}

/** In the order in which the lines were added, for every reader: ties between lines are decided by it (`README.md`). */
const storedLines = `
  coalesce(
    (select json_agg(json_build_object('id', lines.id, 'variantId', lines.variant_id, 'quantity', lines.quantity,
                                       'properties', lines.properties, 'addedTitle', lines.added_title) order by lines.id)
       from cart_line_items lines where lines.tenant_id = $1 and lines.cart_id = carts.id),
    '[]') as lines`;

/** The stored choices of a box's totals steps. */
function choicesOf(box: HasExtensions): string {
  const stored = stepsOf(box).flatMap(({ name, storedChoice }) =>
    storedChoice === undefined ? [] : [`'${name}', (${storedChoice})`],
  );
  return `json_build_object(${stored.join(', ')})`;
}

/** A blank number is the choice to have none. */
function taxNumberOf(box: HasExtensions): string {
  const ofMember = memberTaxNumbers.of(box).map((sql) => sql('carts.member_id'));
  return `nullif(coalesce(${['carts.tax_number', ...ofMember].join(', ')}), '') as tax_number`;
}

/** Columns of a `CartRow`, from `cartTables`. */
const cartColumns = (box: HasExtensions) => `
  carts.id, carts.status, carts.order_id, carts.member_id, carts.region_id, carts.currency, carts.locale,
  carts.email, chosen.country, carts.note, ${taxNumberOf(box)},
  carts.pickup_address, carts.version, carts.created_at, carts.updated_at,
  (select json_object_agg(addresses.type, json_build_object(
            'name', addresses.name, 'company', addresses.company, 'line1', addresses.line1, 'line2', addresses.line2,
            'city', nullif(addresses.city, ''), 'province', addresses.province, 'postalCode', addresses.postal_code,
            'country', addresses.country, 'phone', addresses.phone))
     from cart_addresses addresses where addresses.tenant_id = $1 and addresses.cart_id = carts.id) as addresses,
  ${storedLines}, ${choicesOf(box)} as choices, ${hasReservation('cart', 'carts.id')} as is_reserved,
  ${referenceVersion} as reference_version`;

const cartTables = `
  carts left join cart_countries chosen on chosen.tenant_id = $1 and chosen.cart_id = carts.id`;

/** Columns of a `CartHeader`. */
export const headerColumns = `
  carts.id, carts.region_id, carts.currency, carts.locale, carts.member_id, carts.email, carts.note,
  carts.tax_number, ${chosenCountry} as country, carts.pickup_address is not null as is_picked_up,
  not exists (select from cart_line_items lines
               where lines.tenant_id = $1 and lines.cart_id = carts.id) as is_empty`;

/** Each step stores its choices in a table of its own. */
const textsOf = onceForBox((box) => ({
  findActive: forOwner((active) => `select ${cartColumns(box)} from ${cartTables} where ${active}`),
  lockActive: forOwner((active) => lockActive(box, active)),
  find: `select ${cartColumns(box)} from ${cartTables} where carts.tenant_id = $1 and carts.id = $2`,
}));

const touchActive = forOwner(
  (active) => `update carts set version = version + 1, updated_at = now() where ${active} returning ${headerColumns}`,
);

/**
 * Finds the active cart in the statement's snapshot, then locks it by id alone: after waiting, `for update` evaluates
 * its conditions again, and a condition on the status would lose a cart that was completed in the meantime.
 */
const lockActive = (box: HasExtensions, active: string) => `
  with found as materialized (select carts.id, carts.version from carts where ${active})
  select ${cartColumns(box)}, found.version as found_version
    from found join ${cartTables} on carts.id = found.id
   where carts.tenant_id = $1
     for update of carts`;

/** From here on, the work of `db` prices with the reference data that was current when the cart was read. */
async function cartOf(db: TenantDatabase, row: CartRow, sent: string | null): Promise<StoredCart> {
  const { addresses, regionId, currency, ...own } = row;
  const place = placeOf({ ...own, shippingAddress: addresses?.shipping }, sent);
  db.knowReferenceVersion(row.referenceVersion);
  const terms = await findTermsAt(db, { regionId, place });
  return {
    ...own,
    regionId: terms?.regionId ?? null,
    currency: terms?.currency ?? currency,
    chosenRegionId: regionId,
    seenCurrency: currency,
    shippingAddress: addresses?.shipping ?? null,
    billingAddress: addresses?.billing ?? null,
  };
}

/**
 * Finds the active cart of an owner, in one statement.
 * @param country of an address that takes the place of the cart's, if any: the region follows it unless one was chosen
 */
export async function findActiveCart(
  db: TenantDatabase,
  { by, key }: Owner,
  country: string | null = null,
): Promise<StoredCart | null> {
  const [row] = await db.query<CartRow>(textsOf(db).findActive[by], [key]);
  return row ? cartOf(db, row, country) : null;
}

/** Finds a cart of any status, in one statement. @param country as for `findActiveCart` */
export async function findCart(
  db: TenantDatabase,
  id: string,
  country: string | null = null,
): Promise<StoredCart | null> {
  const [row] = await db.query<CartRow>(textsOf(db).find, [id]);
  return row ? cartOf(db, row, country) : null;
}

/**
 * Locks the cart that was active when the statement began and returns it. If another transaction changed the cart in
 * between, a second statement reads it again: of the first, all but the cart's own columns (lines, addresses, choices) is
 * as it was before the wait.
 * @param country as for `findActiveCart`
 */
export async function lockSnapshotCart(
  tx: TenantDatabase,
  { by, key }: Owner,
  country: string | null = null,
): Promise<StoredCart | null> {
  const [row] = await tx.query<CartRow & { foundVersion: number }>(textsOf(tx).lockActive[by], [key]);
  if (!row) return null;
  const { foundVersion, ...cart } = row;
  return cart.version === foundVersion ? cartOf(tx, cart, country) : findCart(tx, cart.id, country);
}

/** What shoppers choose for their cart, as it is stored. The currency is the one that they have seen. */
export type CartDetails = Pick<StoredCart, 'regionId' | 'currency' | 'locale' | 'email' | 'note'> & {
  /** Blank for none, also if the member has one; null if nothing was chosen. */
  taxNumber: string | null;
};
/** The details of a new cart; without a currency it has that of the chosen region, or the store's. */
export type NewCartDetails = Omit<CartDetails, 'currency'> & { currency: string | null };
export type CartHeader = CartDetails &
  Pick<StoredCart, 'id' | 'memberId' | 'country'> & {
    /** Without lines, before the change. */
    isEmpty: boolean;
    /** Whether the shopper picks up all goods, before the change. */
    isPickedUp: boolean;
  };

/** Locks the active cart of an owner for a change; null if there is none. */
export async function touchActiveCart(tx: TenantDatabase, { by, key }: Owner): Promise<CartHeader | null> {
  const [row] = await tx.query<CartHeader>(touchActive[by], [key]);
  return row ?? null;
}

/** Creates the active cart of an owner, locked; null if a concurrent transaction has created one. */
export async function insertCart(
  tx: TenantDatabase,
  { by, key }: Owner,
  { regionId, currency, locale, email, note, taxNumber }: NewCartDetails,
  id = newId(),
): Promise<CartHeader | null> {
  const [sessionHash, memberId] = by === 'session' ? [key, null] : [null, key];
  const [row] = await tx.query<CartHeader>(
    keepsReferenceData(`insert into carts (tenant_id, id, session_hash, member_id, region_id, currency, locale, email, note,
                        tax_number)
     select own_store.tenant_id, $2, $3, $4, $5::uuid,
            coalesce($6, (select chosen.currency from ${regionById('$5::uuid')} chosen), own_store.default_currency),
            $7, $8, $9, $10
       from ${ownStore} own_store
     on conflict do nothing
     returning ${headerColumns}`),
    [id, sessionHash, memberId, regionId, currency, locale, email, note, taxNumber],
  );
  return row ?? null;
}

export async function updateDetails(tx: TenantDatabase, id: string, patch: Partial<CartDetails>): Promise<void> {
  await tx.update('carts', { id }, patch);
}

/** Records that the shopper accepts the currency in which a locked cart is priced. Returns the cart as it is then. */
export async function acceptCurrency<C extends Pick<StoredCart, 'id' | 'currency' | 'seenCurrency'>>(
  tx: TenantDatabase,
  cart: C,
): Promise<C> {
  const { id, currency, seenCurrency } = cart;
  if (seenCurrency === currency) return cart;
  await updateDetails(tx, id, { currency });
  return { ...cart, seenCurrency: currency };
}

/** Removes a region from all carts, so that abandoned carts do not block its deletion. */
export async function clearRegion(tx: TenantDatabase, regionId: string): Promise<void> {
  await tx.query('update carts set region_id = null where tenant_id = $1 and region_id = $2', [regionId]);
}

/** Marks a locked cart as one whose contents are in another. */
export async function markMerged(tx: TenantDatabase, id: string): Promise<void> {
  await tx.query(
    `update carts set status = 'merged', order_id = null, email = null, note = null, version = version + 1,
                      updated_at = now()
      where tenant_id = $1 and id = $2`,
    [id],
  );
}

/** Carts of the member, of guests under a verified e-mail address, and of sessions that placed the subject's orders. */
const belongsToSubject = `
  (carts.member_id = $2
   or (carts.member_id is null and (lower(carts.email) = any($3::text[]) or carts.order_id = any($4::uuid[])))
   or (carts.status = 'active' and carts.session_hash = any($5::text[])))`;

const subjectValues = ({ memberId, emails, records, sessions }: Subject) => [
  memberId,
  emails.map((email) => email.toLowerCase()),
  records.order ?? [],
  sessions,
];

/** The sessions of a person's carts. */
export async function findSessionsOf(db: TenantDatabase, subject: Subject): Promise<string[]> {
  const carts = await db.query<{ sessionHash: string | null }>(
    `select session_hash from carts where tenant_id = $1 and ${belongsToSubject}`,
    subjectValues(subject),
  );
  return carts.flatMap(({ sessionHash }) => sessionHash ?? []);
}

/** A person's carts as they are exported, by id, each with its addresses and items. */
export function exportCarts(db: TenantDatabase, subject: Subject): Promise<object[]> {
  return db.query(
    `select status, email, note, nullif(tax_number, '') as tax_number, created_at, updated_at,
            (select coalesce(json_agg(to_jsonb(addresses) - '{tenant_id,cart_id}'::text[]), '[]')
               from cart_addresses addresses
              where addresses.tenant_id = $1 and addresses.cart_id = carts.id) as addresses,
            (select coalesce(json_agg(to_jsonb(lines) - '{tenant_id,cart_id}'::text[]), '[]')
               from cart_line_items lines where lines.tenant_id = $1 and lines.cart_id = carts.id) as items
       from carts where tenant_id = $1 and ${belongsToSubject} order by carts.id`,
    subjectValues(subject),
  );
}

/** Locks a person's carts, by id. Returns their ids. */
export async function lockCartsOf(tx: TenantDatabase, subject: Subject): Promise<string[]> {
  const carts = await tx.query<{ id: string }>(
    `select id from carts where tenant_id = $1 and ${belongsToSubject} order by id for update`,
    subjectValues(subject),
  );
  return carts.map(({ id }) => id);
}

/** Removes what carts themselves store of persons, and detaches them from their sessions. */
export async function forgetPersons(tx: TenantDatabase, ids: readonly string[]): Promise<void> {
  await tx.query(
    `update carts
        set email = null, note = null, tax_number = null, version = version + 1, updated_at = now(),
            session_hash = case when session_hash is not null then 'erased ' || id end
      where tenant_id = $1 and id = any($2::uuid[])`,
    [ids],
  );
}

export async function deleteLines(tx: TenantDatabase, cartIds: readonly string[]): Promise<void> {
  await tx.query('delete from cart_line_items where tenant_id = $1 and cart_id = any($2::uuid[])', [cartIds]);
}

export async function deleteAddresses(tx: TenantDatabase, cartIds: readonly string[]): Promise<void> {
  await tx.query('delete from cart_addresses where tenant_id = $1 and cart_id = any($2::uuid[])', [cartIds]);
}

/** Deletes carts without lines and addresses. */
export async function deleteCarts(tx: TenantDatabase, ids: readonly string[]): Promise<void> {
  await tx.query('delete from carts where tenant_id = $1 and id = any($2::uuid[])', [ids]);
}

/**
 * The region and the currency in which carts are priced, and the choices on which these depend, as queries.
 */
import { regionOfCountry } from '@carton/region';
import type { TenantDatabase } from '@carton/runtime';
import { forOwner, type Owner } from './owner.ts';

/** SQL of the country that the shopper has chosen. */
export const chosenCountry = `
  (select chosen.country from cart_countries chosen where chosen.tenant_id = $1 and chosen.cart_id = carts.id)`;

/**
 * The region and the currency of a cart, by the one rule for them (`regionOfCountry`). Carts store what was chosen, so that
 * they follow their address, and the regions of the store as staff change them. A place of pickup is the address.
 * @param sent SQL for the country of an address that takes the place of the cart's
 */
const regionIdOfCart = (sent: string) =>
  `coalesce(carts.region_id, ${regionOfCountry(`coalesce(
  carts.pickup_address ->> 'country', ${sent},
  (select addresses.country from cart_addresses addresses
    where addresses.tenant_id = $1 and addresses.cart_id = carts.id and addresses.type = 'shipping'),
  ${chosenCountry})`)})`;
/** `offset 0`, as in `regionOfCountry`. */
const regionBy = (id: string) => `
  from (select ${id} as id offset 0) wanted
  join regions on regions.tenant_id = $1 and regions.id = wanted.id`;
const regionOfCart = (sent: string) => regionBy(regionIdOfCart(sent));
export const currencyOfCart = (sent: string) =>
  `coalesce((select regions.currency ${regionOfCart(sent)}), carts.currency)`;
/** Both, as `PriceTerms`; null in a store without regions. */
export const termsOfCart = (sent: string) => `
  (select json_build_object('regionId', regions.id, 'currency', regions.currency) ${regionOfCart(sent)})`;
export const noneSent = 'null::text';

/** SQL of the region of a new cart, to select from. @param chosen SQL of the id of the region that was chosen, or null */
export const regionOfNewCart = (chosen: string) => regionBy(`coalesce(${chosen}, ${regionOfCountry(noneSent)})`);

/** What applies to a cart that does not exist yet, or has just been deleted. */
export interface PriceTerms {
  /** Null if the store has no regions. */
  regionId: string | null;
  currency: string;
}

/** Of the active cart of an owner; without one, of a new cart. */
const termsText = forOwner(
  (active) => `
    select coalesce(${termsOfCart(noneSent)},
                    json_build_object('regionId', null, 'currency', coalesce(carts.currency, stores.default_currency)))
             as terms
      from stores left join carts on ${active}
     where stores.tenant_id = $1`,
);

/** What applies to the cart of an owner, or to a new cart, in one statement. @param owner null for nobody's cart */
export async function findPriceTerms(db: TenantDatabase, owner: Owner | null): Promise<PriceTerms> {
  const { by, key } = owner ?? { by: 'session', key: null };
  const [row] = await db.query<{ terms: PriceTerms }>(termsText[by], [key]);
  if (!row) throw new Error(`tenant ${db.tenantId} has no store`);
  return row.terms;
}

const termsOfCarts = `
  select carts.id, ${termsOfCart(noneSent)} as terms from carts
   where carts.tenant_id = $1 and carts.id = any($2::uuid[])`;

/** What applies to these carts, by id; null in a store without regions. */
export async function findTermsOfCarts(
  db: TenantDatabase,
  ids: readonly string[],
): Promise<Map<string, PriceTerms | null>> {
  const found = await db.query<{ id: string; terms: PriceTerms | null }>(termsOfCarts, [ids]);
  return new Map(found.map(({ id, terms }) => [id, terms]));
}

/** Records that the shopper accepts the currency in which the cart is priced now. The cart must be locked. */
export async function acceptCurrency(tx: TenantDatabase, cartId: string): Promise<void> {
  await tx.query(
    `update carts set currency = ${currencyOfCart(noneSent)} where carts.tenant_id = $1 and carts.id = $2`,
    [cartId],
  );
}

/** Sets or, with null, removes the country that the shopper has chosen. The cart must be locked. */
export async function chooseCountry(tx: TenantDatabase, cartId: string, country: string | null): Promise<void> {
  if (country === null) {
    await tx.query('delete from cart_countries where tenant_id = $1 and cart_id = $2', [cartId]);
    return;
  }
  await tx.query(
    `insert into cart_countries (tenant_id, cart_id, country) values ($1, $2, $3)
     on conflict (tenant_id, cart_id) do update set country = excluded.country`,
    [cartId, country],
  );
}

/**
 * The region and the currency in which carts are priced, and the choices on which these depend, as queries.
 */
import { ownStore } from '@carton/core';
import { regionById, regionOfCountry } from '@carton/region';
import { referenceQuery, referenceVersion, type TenantDatabase } from '@carton/runtime';
import { forOwner, type Owner } from './owner-store.ts';

/** SQL of the country that the shopper has chosen. */
export const chosenCountry = `
  (select chosen.country from cart_countries chosen where chosen.tenant_id = $1 and chosen.cart_id = carts.id)`;

type Place = { country?: string | null } | null | undefined;

/**
 * The country from which the region of a cart follows while none was chosen; null if it is not known. Carts store what was
 * chosen, so that they follow their address, and the regions of the store as staff change them. A place of pickup is the
 * address.
 * @param sent the country of an address that takes the place of the cart's, or null
 */
export function placeOf(
  cart: { pickupAddress: Place; shippingAddress: Place; country: string | null },
  sent: string | null,
): string | null {
  return cart.pickupAddress?.country ?? sent ?? cart.shippingAddress?.country ?? cart.country;
}

/** The same as SQL, of a cart that is not read, where no address is sent. */
const placeOfCart = `coalesce(
  carts.pickup_address ->> 'country',
  (select addresses.country from cart_addresses addresses
    where addresses.tenant_id = $1 and addresses.cart_id = carts.id and addresses.type = 'shipping'),
  ${chosenCountry})`;

/** What applies to a cart; without one, to a cart that would be created now. */
export interface PriceTerms {
  /** Null if the store has no regions. */
  regionId: string | null;
  currency: string;
}

const termsAt = referenceQuery(`
  select found.id as region_id, found.currency
    from (select coalesce($3::uuid, ${regionOfCountry('$2::text')}) as id offset 0) wanted
   cross join lateral ${regionById('wanted.id')} found`);

/**
 * The region and the currency of a cart, by the one rule for them (`regionOfCountry`): of the chosen region, or that of the
 * place. Null in a store without regions.
 */
export async function findTermsAt(
  db: TenantDatabase,
  { regionId, place }: { regionId: string | null; place: string | null },
): Promise<PriceTerms | null> {
  const [terms] = await db.readReference<PriceTerms>(termsAt, [place, regionId]);
  return terms ?? null;
}

interface Choice {
  regionId: string | null;
  place: string | null;
  currency: string;
  referenceVersion: string | null;
}

/** Of the active cart of an owner; without one, of a new cart. */
const choiceOfOwner = forOwner(
  (active) => `
    select carts.region_id, ${placeOfCart} as place,
           coalesce(carts.currency, own_store.default_currency) as currency, ${referenceVersion} as reference_version
      from ${ownStore} own_store left join carts on ${active}`,
);

/** What applies to the cart of an owner, or to a new cart. @param owner null for nobody's cart */
export function findPriceTerms(db: TenantDatabase, owner: Owner | null): Promise<PriceTerms> {
  const { by, key } = owner ?? { by: 'session', key: null };
  return db.pipelined(async (one) => {
    const [choice] = await one.query<Choice>(choiceOfOwner[by], [key]);
    if (!choice) throw new Error(`tenant ${db.tenantId} has no store`);
    one.knowReferenceVersion(choice.referenceVersion);
    return (await findTermsAt(one, choice)) ?? { regionId: null, currency: choice.currency };
  });
}

const choicesOfCarts = `
  select carts.id, carts.region_id, ${placeOfCart} as place, ${referenceVersion} as reference_version
    from carts where carts.tenant_id = $1 and carts.id = any($2::uuid[])`;

/** What applies to these carts, by id; null in a store without regions. */
export function findTermsOfCarts(db: TenantDatabase, ids: readonly string[]): Promise<Map<string, PriceTerms | null>> {
  return db.pipelined(async (one) => {
    const choices = await one.query<Choice & { id: string }>(choicesOfCarts, [ids]);
    one.knowReferenceVersion(choices[0]?.referenceVersion ?? null);
    const found = new Map<string, Promise<PriceTerms | null>>();
    const termsOf = (choice: Choice) => {
      const key = `${choice.regionId} ${choice.place}`;
      const terms = found.get(key) ?? findTermsAt(one, choice);
      found.set(key, terms);
      return terms;
    };
    return new Map(await Promise.all(choices.map(async (choice) => [choice.id, await termsOf(choice)] as const)));
  });
}

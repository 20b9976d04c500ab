/**
 * Region, country, currency, language, contact and addresses of the shopper's cart.
 */
import { findRegionOfCountry, hasRegions, holdRegion, type RegionRow } from '@carton/region';
import {
  countryName,
  invalidField,
  printedCode,
  requireCity,
  runConcurrently,
  type TenantDatabase,
  writtenPhone,
  writtenTaxNumber,
} from '@carton/runtime';
import { findLocked, writeCart } from '../changes/service.ts';
import { countryNotServed } from '../problems.ts';
import { type CartShopper, guardTaxNumber } from '../quotes/asker.ts';
import type { Cart, ChangeCart, SetCartAddress } from '../schemas.ts';
import { findPricedCart, presentQuoted } from '../service.ts';
import { type AddressType, type StoredCart, updateDetails } from '../store.ts';
import { findPriceTerms } from '../terms-store.ts';
import { presentEmptyCart } from '../view.ts';
import { chooseCountry, setAddress } from './store.ts';

/** Reads a shopper's active cart; returns an empty one, without storing it, if there is none. */
export async function readCart({ db, session, client }: CartShopper): Promise<Cart> {
  const priced = await findPricedCart(db, session);
  return priced ? presentQuoted(db, priced, { session, client }) : presentEmptyCart(db, await findPriceTerms(db, null));
}

/**
 * Changes details of the cart; creates the cart if necessary. A region sets its currency. One that was chosen, by itself or by
 * a country, stays until another is; without one, the region follows the address.
 * @throws invalid_request (400) for an unknown region or currency, a currency that is not the region's, or a wrong tax number;
 *   country_not_served (409) for a country without a region, in a store that has regions; too_many_requests (429) after
 *   many tax numbers
 */
export async function changeCart(
  { db, session, client }: CartShopper,
  { regionId: requestedId, country, currency, locale, email, note, ...change }: ChangeCart,
): Promise<Cart> {
  const written = writtenTaxNumber(change.taxNumber, '/taxNumber');
  // Blank: the shopper has none, whatever the member has.
  const taxNumber = written === null ? '' : written;
  const guard = taxNumber ? await guardTaxNumber(db, { session, client }) : null;
  let isCounted = guard !== null;
  if (country !== undefined && requestedId !== undefined) throw invalidField('/country', 'excludes regionId');
  const priced = await db.transaction(async (tx) => {
    // Lock order: the region before the cart, as when a region is deleted.
    const region = await lockRequestedRegion(tx, requestedId, country);
    if (requestedId && !region) throw invalidField('/regionId', 'must be the id of a region of this store');
    if (region && currency !== undefined && currency !== region.currency) {
      throw invalidField('/currency', `must be ${region.currency}, the currency of the region`);
    }
    return writeCart(tx, session, async (_, cart) => {
      if (requestedId === undefined && !region && currency !== undefined) {
        rejectOtherCurrency(await findLocked(tx, cart), currency);
      }
      // Another region ends the choice of a country that it does not sell to.
      const keepsCountry = cart.country !== null && region?.countries.includes(cart.country);
      const chosen = requestedId === undefined || keepsCountry ? country : null;
      const regionId = country === undefined ? requestedId : (region?.id ?? null);
      // A form may send the number with every change.
      if (guard && cart.taxNumber === taxNumber) {
        await guard.succeeded(tx);
        isCounted = false;
      }
      await runConcurrently([
        () => updateDetails(tx, cart.id, { regionId, currency, locale, email, note, taxNumber }),
        () => (chosen === undefined ? undefined : chooseCountry(tx, cart.id, chosen)),
      ]);
      return { acceptsCurrency: regionId !== undefined || currency !== undefined };
    });
  });
  return presentQuoted(db, priced, isCounted ? null : { session, client });
}

function rejectOtherCurrency({ regionId, currency: own }: StoredCart, currency: string): void {
  if (regionId === null || currency === own) return;
  throw invalidField('/currency', `must be ${own}, the currency of the cart's region`);
}

/**
 * Locks a region by id, or that of a country; null for a store without regions. @throws country_not_served (409)
 */
async function lockRequestedRegion(
  tx: TenantDatabase,
  id: string | null | undefined,
  country: string | undefined,
): Promise<RegionRow | null> {
  if (country === undefined) return id ? holdRegion(tx, id) : null;
  // Retries while the country moves to another region before the lock.
  for (let attempt = 0; attempt < 5; attempt++) {
    const found = await findRegionOfCountry(tx, country);
    if (!found) break;
    const region = await holdRegion(tx, found.id);
    if (region?.countries.includes(country)) return region;
  }
  if (!(await hasRegions(tx))) return null;
  throw countryNotServed(`The store does not sell to ${countryName(country)}.`);
}

/** Sets an address of the cart; creates the cart if necessary. @throws invalid_request (400) without a town */
export async function changeAddress(
  { db, session, client }: CartShopper,
  type: AddressType,
  address: SetCartAddress,
): Promise<Cart> {
  requireCity(address);
  const { country, postalCode } = address;
  const written = {
    ...address,
    postalCode: postalCode ? printedCode(country, postalCode) : null,
    phone: writtenPhone(address.phone),
  };
  const byId = (tx: TenantDatabase, cartId: string) => setAddress(tx, cartId, type, written);
  return presentQuoted(db, await writeCart(db, session, { byId }), { session, client });
}

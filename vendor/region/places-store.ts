/**
 * Where a sale takes place if nothing says so: the rules for its region and for its country, as SQL for statements of other
 * packages, which would otherwise need a round trip of their own. `$1` is the tenant. This place has no other copy.
 */
import { ownStore } from '@carton/core';

const ofStore = (column: string) => `select own_store.${column} as value from ${ownStore} own_store offset 0`;

/** The oldest region that sells somewhere and meets a condition, found by the index of their order. */
const oldest = (condition: string) => `(
  select candidates.id from regions candidates
   where candidates.tenant_id = $1 and ${condition}
     and exists (select from region_countries places
                  where places.tenant_id = $1 and places.region_id = candidates.id)
   order by candidates.created_at, candidates.id limit 1)`;

/**
 * SQL for the id of the region of a sale for which none was chosen: the one that sells to its country; else the store's
 * default region; else that of the store's country; else the oldest in the store's default currency; else the oldest, which
 * may be the only one. A region without countries sells nowhere, and is taken only if it is the default. Null for a store
 * without regions. `offset 0` lets an index find the row: under row-level security none is used for a computed value.
 * @param country SQL for a country; null if it is not known
 */
export const regionOfCountry = (country: string) => `coalesce(
  (select places.region_id from (select ${country} as code offset 0) wanted
     join region_countries places on places.tenant_id = $1 and places.country = wanted.code),
  (select candidates.id from (${ofStore('default_region_id')}) wanted
     join regions candidates on candidates.tenant_id = $1 and candidates.id = wanted.value),
  (select places.region_id from (${ofStore('country')}) wanted
     join region_countries places on places.tenant_id = $1 and places.country = wanted.value),
  ${oldest(`candidates.currency = (select own_store.default_currency from ${ownStore} own_store)`)},
  ${oldest('true')})`;

/**
 * SQL for the country by which a sale is taxed and shipped: its own; else the only country of its region; else that of the
 * store. Null if none of these is known.
 * @param country the parameter with the sale's country: `$2`
 * @param regionId the parameter with the id of its region
 */
export const countryOfSale = (country: string, regionId: string) => `coalesce(
  ${country},
  (select min(places.country) from region_countries places
    where places.tenant_id = $1 and places.region_id = ${regionId}::uuid having count(*) = 1),
  (select own_store.country from ${ownStore} own_store))`;

/**
 * SQL of a region, for statements of other packages: a table of one row with `id` and `currency`, or of none.
 * @param id SQL for its id
 */
export const regionById = (id: string) => `(
  select regions.id, regions.currency from regions where regions.tenant_id = $1 and regions.id = ${id})`;

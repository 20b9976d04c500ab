/**
 * Where a shop sells, for shoppers.
 */
import { pageQuery, route } from '@carton/runtime';
import { CountryList, Region, RegionPage } from '../schemas.ts';
import { listShippedCountries, pageOfRegions, readRegion as read } from '../service.ts';

const tag = 'Regions';

export const listRegions = route(
  {
    method: 'get',
    path: '/regions',
    operationId: 'listRegions',
    tag,
    summary: 'List selling regions',
    access: 'public',
    query: pageQuery(),
    status: 200,
    response: RegionPage,
  },
  ({ db, query }) => pageOfRegions(db, query),
);

export const readRegion = route(
  {
    method: 'get',
    path: '/regions/:id',
    operationId: 'readRegion',
    tag,
    summary: 'Read a region: currency, countries, whether prices hold their tax',
    access: 'public',
    status: 200,
    response: Region,
  },
  ({ db, params }) => read(db, params.id),
);

export const listCountries = route(
  {
    method: 'get',
    path: '/countries',
    operationId: 'listCountries',
    tag,
    summary: 'List the countries that can be shipped to, by name',
    access: 'public',
    status: 200,
    response: CountryList,
  },
  async ({ db }) => ({ items: await listShippedCountries(db) }),
);

/**
 * Routes of regions for staff and for shoppers.
 */
import { resource, route } from '@carton/runtime';
import { countryTaken, regionInUse, regionPriced } from './problems.ts';
import { AdminRegionQuery, CountryList, CountryQuery, Region, RegionPage, RegionQuery, shapes } from './schemas.ts';
import { changeRegion, createRegion, deleteRegion, listShippedCountries } from './service.ts';
import { regions } from './store.ts';

const common = { noun: 'region', tag: 'Regions', rows: regions };

export const adminRegions = resource({
  ...common,
  path: '/admin/regions',
  access: 'staff',
  item: shapes.Item,
  list: { query: AdminRegionQuery, page: shapes.Page },
  create: { body: shapes.Create, problems: [countryTaken], run: ({ db, body }) => createRegion(db, body) },
  read: {},
  change: {
    summary: 'Change the name, countries or tax-inclusive flag, or the currency of a region without prices',
    body: shapes.Change,
    problems: [countryTaken, regionPriced],
    run: ({ db, params, body }) => changeRegion(db, params.id, body),
  },
  remove: {
    summary: 'Delete a region that is not in use',
    problems: [regionInUse],
    run: ({ db, params }) => deleteRegion(db, params.id),
  },
});

export const storefrontRegions = resource({
  ...common,
  path: '/regions',
  access: 'public',
  item: Region,
  list: {
    summary: 'List the regions in which the store sells',
    description: '`country` finds the region of a country: a list of one, or an empty one.',
    query: RegionQuery,
    page: RegionPage,
    shared: true,
  },
  read: { summary: 'Read a region: currency, countries, and whether prices include tax', shared: true },
});

export const listCountries = route(
  {
    method: 'get',
    path: '/countries',
    operationId: 'listCountries',
    tag: 'Regions',
    summary: 'List the countries to which the store sells, by name, with their provinces',
    access: 'public',
    shared: true,
    query: CountryQuery,
    fields: true,
    status: 200,
    response: CountryList,
  },
  async ({ db, query, headers }) => ({
    items: await listShippedCountries(db, query, headers['accept-language']),
  }),
);

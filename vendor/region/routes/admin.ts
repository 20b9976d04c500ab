/**
 * Regions in the hands of staff.
 */
import { externalIdTaken, route } from '@carton/runtime';
import { AdminRegion, AdminRegionPage, AdminRegionQuery, ChangeRegion, CreateRegion } from '../schemas.ts';
import {
  changeRegion,
  countryTaken,
  createRegion as create,
  pageOfRegions,
  readRegion,
  regionInUse,
  regionPriced,
  deleteRegion as remove,
} from '../service.ts';

const tag = 'Regions';

export const listAdminRegions = route(
  {
    method: 'get',
    path: '/admin/regions',
    operationId: 'listAdminRegions',
    tag,
    summary: 'List regions, newest first',
    access: 'staff',
    query: AdminRegionQuery,
    status: 200,
    response: AdminRegionPage,
  },
  ({ db, query }) => pageOfRegions(db, query),
);

export const createRegion = route(
  {
    method: 'post',
    path: '/admin/regions',
    operationId: 'createRegion',
    tag,
    summary: 'Create a region',
    access: 'staff',
    body: CreateRegion,
    status: 201,
    response: AdminRegion,
    location: '/admin/regions/{id}',
    problems: [countryTaken, externalIdTaken],
  },
  ({ db, body }) => create(db, body),
);

export const readAdminRegion = route(
  {
    method: 'get',
    path: '/admin/regions/:id',
    operationId: 'readAdminRegion',
    tag,
    summary: 'Read a region',
    access: 'staff',
    status: 200,
    response: AdminRegion,
  },
  ({ db, params }) => readRegion(db, params.id),
);

export const updateRegion = route(
  {
    method: 'patch',
    path: '/admin/regions/:id',
    operationId: 'updateRegion',
    tag,
    summary: 'Change name, countries, tax-inclusive flag, or a currency without prices yet',
    access: 'staff',
    body: ChangeRegion,
    status: 200,
    response: AdminRegion,
    problems: [countryTaken, externalIdTaken, regionPriced],
  },
  ({ db, params, body }) => changeRegion(db, params.id, body),
);

export const deleteRegion = route(
  {
    method: 'delete',
    path: '/admin/regions/:id',
    operationId: 'deleteRegion',
    tag,
    summary: 'Delete a region that nothing uses',
    access: 'staff',
    status: 204,
    problems: [regionInUse],
  },
  ({ db, params }) => remove(db, params.id),
);

/**
 * What the vendor asks about customers.
 */
import { routeFor } from '@carton/runtime/service';
import type { Releases } from '../releases/service.ts';
import type { CommonCallers, CommonServices } from '../services.ts';
import { listRefusals as refusals } from './refusals.ts';
import { DownloadedVersionPage, RefusalPage, RefusalQuery, VersionQuery } from './schemas.ts';
import { listVersions as versions } from './versions.ts';

interface CustomerServices extends CommonServices {
  releases: Releases;
}

const route = routeFor<CustomerServices, CommonCallers>();
const tag = 'Customers';
const access = 'admin';

const listVersions = route(
  {
    method: 'get',
    path: '/customers/versions',
    operationId: 'listDownloadedVersions',
    tag,
    summary: 'List the newest version of each package that customers have downloaded, beside the current release',
    description:
      'By customer and package. Downloads are in it a few minutes after their reports. With `outdated`, a page may have fewer items than its limit although there are more: follow `nextCursor`.',
    access,
    query: VersionQuery,
    status: 200,
    response: DownloadedVersionPage,
  },
  ({ query, ...services }) => versions(services, query),
);

const listRefusals = route(
  {
    method: 'get',
    path: '/customers/refusals',
    operationId: 'listRefusals',
    tag,
    summary: 'List the packages whose downloads were denied to customers, and the tier that includes them',
    description: 'By customer and package. Downloads are in it a few minutes after their reports.',
    access,
    query: RefusalQuery,
    status: 200,
    response: RefusalPage,
  },
  ({ query, ...services }) => refusals(services, query),
);

export const customerRoutes = [listVersions, listRefusals];

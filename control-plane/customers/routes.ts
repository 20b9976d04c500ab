/**
 * What the vendor asks about customers.
 */
import { notFound, object, routeFor } from '@carton/runtime/service';
import { listWithCsv } from '../csv-routes.ts';
import type { Releases } from '../releases/service.ts';
import { CustomerId } from '../schemas.ts';
import { type CommonCallers, type CommonServices, changesFor } from '../services.ts';
import { eraseCustomer } from './erase.ts';
import { exportCustomer } from './export.ts';
import { eachInstallation, listInstallations } from './installations.ts';
import { customerHasLicences } from './problems.ts';
import { listRefusals as refusals } from './refusals.ts';
import {
  DownloadedVersionPage,
  EraseCustomer,
  Erasure,
  InstalledReleasePage,
  installationFilters,
  RefusalPage,
  RefusalQuery,
  VersionQuery,
} from './schemas.ts';
import { listVersions as versions } from './versions.ts';

interface CustomerServices extends CommonServices {
  releases: Releases;
}

const route = routeFor<CustomerServices, CommonCallers>();
const change = changesFor();
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

const installationRoutes = listWithCsv({
  path: '/customers/installations',
  operationId: 'listInstalledReleases',
  tag,
  summary: 'List installations with the release of their last activation, beside the current release of the channel',
  description:
    'Those that sent an `Installation-Id`; the one that activated last for the first time is the first. An installation activates before it installs or upgrades.',
  csv: {
    operationId: 'exportInstalledReleases',
    summary: 'Read all installations of a search as CSV',
    columns: [
      'customerId',
      'licenseId',
      'installationId',
      'channel',
      'release',
      'released',
      'outdated',
      'installerVersion',
      'platform',
      'firstActivatedAt',
      'lastActivatedAt',
    ],
  },
  filters: installationFilters,
  response: InstalledReleasePage,
  list: listInstallations,
  each: eachInstallation,
});

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

const exportOne = route(
  {
    method: 'get',
    path: '/customers/export',
    operationId: 'exportCustomer',
    tag,
    summary: 'Export all that is stored of a customer',
    description:
      'One JSON document, with a list for each kind of record: `licences`, `installations`, `activations`, `warnings` of expiry, `boxes` with their domains, `downloads`, `downloadsByDay`, `downloadsInTotal`, `events`, and the rows of the `journal` that name the customer or a licence. It has no keys and secrets, nor who of the vendor made a change. It is written while it is read: a document that ends early is no JSON.',
    access,
    permission: 'manager',
    query: object({ customerId: CustomerId }),
    status: 200,
    mediaType: 'application/json; charset=utf-8',
    streamed: true,
    problems: [notFound],
  },
  ({ db, query }) => exportCustomer(db, query.customerId),
);

const eraseOne = change(
  {
    method: 'post',
    path: '/customers/erase',
    operationId: 'eraseCustomer',
    tag,
    summary: 'Erase what is stored of a customer',
    description:
      'Licences that are not revoked are refused with 409, unless `revoke` is true. The registry refuses their tokens within a minute; the domains of boxes are no longer served. The response says what was removed, and what stays and why. A repeated request removes what has come since. Reports that arrive later are accepted and not stored, until a licence is minted for the customer again.',
    access,
    permission: 'owner',
    body: EraseCustomer,
    status: 200,
    response: Erasure,
    problems: [customerHasLicences, notFound],
  },
  ({ db, body }) => eraseCustomer(db, body.customerId, body.revoke),
);

export const customerRoutes = [listVersions, ...installationRoutes, listRefusals, exportOne, eraseOne];

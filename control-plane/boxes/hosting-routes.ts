/**
 * Routes between boxes and the website hosting layer: where it sends a request, and the secret that it sends with it.
 */
import {
  type CheckUrl,
  normalizeHost,
  notFound,
  object,
  routeFor,
  Type,
  tooManyRequests,
  wildcardOver,
} from '@carton/runtime/service';
import { licenseKeyMalformed, licenseKeyUnknown, licenseRevoked, licenseSuspended } from '../license/problems.ts';
import type { LicenseCallers } from '../license/service.ts';
import { rejectWithdrawn } from '../license/withdrawn.ts';
import type { CommonServices } from '../services.ts';
import type { HostingSecrets } from './hosting-secret.ts';
import { backendForbidden } from './problems.ts';
import { resolveHost } from './resolve.ts';
import { HostingSecret, HostRoute, ReplaceHostingSecret } from './schemas.ts';
import type { ServedDomains } from './served/domains.ts';
import { findBox } from './store.ts';

interface HostingServices extends CommonServices {
  checkBackend: CheckUrl;
  served: ServedDomains;
  hostingSecrets: HostingSecrets;
}

const route = routeFor<HostingServices, LicenseCallers>();
const tag = 'Boxes';

const routeHost = route(
  {
    method: 'get',
    path: '/boxes/hosting',
    operationId: 'routeHost',
    tag,
    summary: 'Find where the website hosting layer sends the requests of a host',
    description:
      'What `GET /boxes/resolve` finds, with the addresses that were checked, which alone may be connected to, and the hosting secret of the box.',
    access: 'hosting',
    query: object({ host: Type.String({ minLength: 1, maxLength: 255, examples: ['shop.example.com'] }) }),
    status: 200,
    response: HostRoute,
    problems: [notFound, backendForbidden],
  },
  async ({ query, ...services }) => {
    const { isPrivate, ...found } = await resolveHost(services, query.host, { withPending: false });
    const host = normalizeHost(query.host) as string;
    const domain = found.match === 'exact' ? host : (wildcardOver(host)?.domain as string);
    const { state, addresses } = await services.checkBackend(found.backendUrl);
    if (state === 'forbidden') throw backendForbidden();
    const hostingSecret = await services.hostingSecrets.find(domain, found.backendUrl);
    return { ...found, addresses, hostingSecret };
  },
);

const replaceHostingSecret = route(
  {
    method: 'post',
    path: '/boxes/hosting-secret',
    operationId: 'replaceHostingSecret',
    tag,
    summary: 'Give a box a new hosting secret',
    description:
      'The response is the only one with the secret, which becomes HOSTING_SECRET of the box. Within a minute the website hosting layer sends it instead of the former one.',
    access: 'license',
    body: ReplaceHostingSecret,
    status: 201,
    response: HostingSecret,
    problems: [licenseKeyMalformed, licenseKeyUnknown, licenseSuspended, licenseRevoked, tooManyRequests, notFound],
  },
  async ({ body: { name }, license, db, hostingSecrets }) => {
    rejectWithdrawn(license);
    const box = await findBox(db, license.customerId, name);
    if (!box) throw notFound(`You have no box named ${name}.`);
    return { name, hostingSecret: await hostingSecrets.replace(box.id) };
  },
);

export const boxHostingRoutes = [routeHost, replaceHostingSecret];

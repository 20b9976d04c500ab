/**
 * The vendor reads which installations have activated a licence, and frees the place of one.
 */
import { notFound, pageQuery, routeFor } from '@carton/runtime/service';
import type { CommonCallers, CommonServices } from '../services.ts';
import { activationDays, listActivations, listInstallations, removeInstallation } from './installations.ts';
import { ActivationPage, InstallationPage } from './schemas.ts';
import { readLicense } from './service.ts';

const route = routeFor<CommonServices, CommonCallers>();
const tag = 'Licences';
const access = 'admin';

const listInstallationsOfLicense = route(
  {
    method: 'get',
    path: '/license/keys/:id/installations',
    operationId: 'listLicenseInstallations',
    tag,
    summary: 'List the installations that have activated a licence, newest first',
    description: 'Only those that sent an `Installation-Id`. They count for `maxInstallations`.',
    access,
    query: pageQuery({}),
    status: 200,
    response: InstallationPage,
    problems: [notFound],
  },
  async ({ db, params, query }) => {
    const { id } = await readLicense(db, params.id);
    return listInstallations(db, id, query);
  },
);

const listActivationsOfLicense = route(
  {
    method: 'get',
    path: '/license/keys/:id/activations',
    operationId: 'listLicenseActivations',
    tag,
    summary: 'List the activations of a licence, newest first',
    description: `Those of the last ${activationDays} days.`,
    access,
    query: pageQuery({}),
    status: 200,
    response: ActivationPage,
    problems: [notFound],
  },
  async ({ db, params, query }) => {
    const { id } = await readLicense(db, params.id);
    return listActivations(db, id, query);
  },
);

const removeInstallationOfLicense = route(
  {
    method: 'delete',
    path: '/license/keys/:id/installations/:installationId',
    operationId: 'removeLicenseInstallation',
    tag,
    summary: 'Free the place of an installation',
    description:
      'Another installation can activate the licence in its place. Its box is not affected; if it activates again, it needs a free place.',
    access,
    status: 204,
    problems: [notFound],
  },
  async ({ db, params }) => {
    const { id } = await readLicense(db, params.id);
    if (!(await removeInstallation(db, id, params.installationId))) {
      throw notFound(`The licence has no installation ${params.installationId}.`);
    }
  },
);

export const installationRoutes = [listInstallationsOfLicense, listActivationsOfLicense, removeInstallationOfLicense];

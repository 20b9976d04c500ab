/**
 * The owner manages administrators; managers read the journal.
 */
import { DateTime, notFound, pageQuery, routeFor, Type } from '@carton/runtime/service';
import { futureInstant } from '../license/service.ts';
import { type CommonCallers, type CommonServices, changesFor } from '../services.ts';
import { listJournal, verifyJournal } from './journal.ts';
import { administratorNameTaken } from './problems.ts';
import {
  Administrator,
  AdministratorPage,
  AdministratorWithSecret,
  ChangeAdministrator,
  CreateAdministrator,
  JournalPage,
  JournalVerification,
  ReplaceAdministratorSecret,
} from './schemas.ts';
import {
  deleteAdministrator,
  findAdministrator,
  insertAdministrator,
  listAdministrators as list,
  replaceSecret,
  updateAdministrator,
} from './store.ts';

const route = routeFor<CommonServices, CommonCallers>();
const change = changesFor();
const owners = { tag: 'Administrators', access: 'admin', permission: 'owner' } as const;
const journal = { tag: 'Journal', access: 'admin', permission: 'manager' } as const;
const path = '/administrators/:id';

const createAdministrator = change(
  {
    ...owners,
    method: 'post',
    path: '/administrators',
    operationId: 'createAdministrator',
    summary: 'Create an administrator',
    description: 'The response is the only one with the secret: just its hash is stored.',
    body: CreateAdministrator,
    status: 201,
    response: AdministratorWithSecret,
    location: '/administrators/{id}',
    problems: [administratorNameTaken],
  },
  ({ db, body: { name, role, expiresAt } }) => insertAdministrator(db, { name, role, expiresAt: expiryOf(expiresAt) }),
);

const listAdministrators = route(
  {
    ...owners,
    method: 'get',
    path: '/administrators',
    operationId: 'listAdministrators',
    summary: 'List administrators, newest first',
    query: pageQuery({}),
    status: 200,
    response: AdministratorPage,
  },
  ({ db, query }) => list(db, query),
);

const readAdministrator = route(
  {
    ...owners,
    method: 'get',
    path,
    operationId: 'readAdministrator',
    summary: 'Read an administrator',
    status: 200,
    response: Administrator,
    problems: [notFound],
  },
  ({ db, params }) => findAdministrator(db, params.id),
);

const changeAdministrator = change(
  {
    ...owners,
    method: 'patch',
    path,
    operationId: 'changeAdministrator',
    summary: 'Change the role or expiry of an administrator, or disable one',
    description: 'Applies to the next request of the administrator.',
    body: ChangeAdministrator,
    status: 200,
    response: Administrator,
  },
  ({ db, params, body: { expiresAt, ...change } }) =>
    updateAdministrator(db, params.id, {
      ...change,
      ...(expiresAt !== undefined && { expiresAt: expiryOf(expiresAt) }),
    }),
);

const removeAdministrator = change(
  {
    ...owners,
    method: 'delete',
    path,
    operationId: 'deleteAdministrator',
    summary: 'Delete an administrator',
    description: 'The journal keeps what the administrator did.',
    status: 204,
  },
  ({ db, params }) => deleteAdministrator(db, params.id),
);

const replaceAdministratorSecret = change(
  {
    ...owners,
    method: 'post',
    path: '/administrators/:id/secret',
    operationId: 'replaceAdministratorSecret',
    summary: 'Give an administrator a new secret',
    description:
      'The response is the only one with the secret. The former one stays valid for the overlap; one that had been replaced before ends immediately.',
    body: ReplaceAdministratorSecret,
    status: 201,
    response: AdministratorWithSecret,
  },
  ({ db, params, body }) => replaceSecret(db, params.id, body.overlapHours),
);

const listJournalRows = route(
  {
    ...journal,
    method: 'get',
    path: '/journal',
    operationId: 'listJournal',
    summary: 'List what administrators and the publisher changed, newest first',
    description:
      'Requests whose credential was accepted and whose body was valid, with the status of their response. Rows cannot be changed or deleted.',
    query: pageQuery({
      administrator: Type.Optional(Type.String({ minLength: 1, maxLength: 120, examples: ['ada@vendor.example'] })),
      operationId: Type.Optional(Type.String({ minLength: 1, maxLength: 120, examples: ['suspendLicense'] })),
      from: Type.Optional(DateTime),
      to: Type.Optional(DateTime),
    }),
    status: 200,
    response: JournalPage,
  },
  ({ db, query }) => listJournal(db, query),
);

const readJournalVerification = route(
  {
    ...journal,
    method: 'get',
    path: '/journal/verification',
    operationId: 'verifyJournal',
    summary: 'Verify that no row of the journal was changed or removed',
    description:
      'Reads all rows and compares their hashes. It finds no rows removed from the end: note `hash` elsewhere, and look for it in the journal later. With SIGNING_KEY_SECRET note `keyedFrom`, too: it never changes.',
    status: 200,
    response: JournalVerification,
  },
  ({ db, journalKeys }) => verifyJournal(db, journalKeys),
);

function expiryOf(expiresAt: string | null | undefined): string | null {
  return expiresAt == null ? null : futureInstant(expiresAt);
}

export const administratorRoutes = [
  createAdministrator,
  listAdministrators,
  readAdministrator,
  changeAdministrator,
  removeAdministrator,
  replaceAdministratorSecret,
  listJournalRows,
  readJournalVerification,
];

/**
 * Routes of members, for staff.
 */
import { erasureHindered, resource, route } from '@carton/runtime';
import { emailTaken } from '../problems.ts';
import { PersonalDataExport } from '../schemas.ts';
import { AdminMemberDetail, adminShapes, MemberQuery } from './schemas.ts';
import { pageOfMembers } from './search.ts';
import {
  changeMember,
  createMember,
  deleteMember,
  eraseMember as erase,
  exportMember as exportData,
  readMember,
} from './service.ts';

const common = { tag: 'Members', access: 'staff' } as const;

const adminMembers = resource({
  ...common,
  path: '/admin/members',
  noun: 'member',
  item: adminShapes.Item,
  detail: AdminMemberDetail,
  list: { query: MemberQuery, page: adminShapes.Page, run: ({ db, query }) => pageOfMembers(db, query) },
  create: {
    description:
      'The member has no password: the shopper gets one by registering with the address, or by a link to reset the password.',
    body: adminShapes.Create,
    problems: [emailTaken],
    run: ({ db, body }) => createMember(db, body),
  },
  read: { run: ({ db, params }) => readMember(db, params.id) },
  change: {
    description: 'A new e-mail address has to be verified. Disabling ends all sessions of the member.',
    body: adminShapes.Change,
    problems: [emailTaken],
    run: ({ db, params, body }) => changeMember(db, params.id, body),
  },
  remove: {
    summary: 'Delete a member; the data stays until it is erased',
    run: ({ db, params }) => deleteMember(db, params.id),
  },
});

export const exportMember = route(
  {
    ...common,
    method: 'get',
    path: '/admin/members/:id/data-export',
    operationId: 'exportMember',
    summary: "Export all of a member's personal data (GDPR, Article 15)",
    description: 'The member may be deleted.',
    status: 200,
    response: PersonalDataExport,
  },
  ({ db, params }) => exportData(db, params.id),
);

export const eraseMember = route(
  {
    ...common,
    method: 'post',
    path: '/admin/members/:id/erase',
    operationId: 'eraseMember',
    summary: "Erase a member's personal data (GDPR, Article 17)",
    description: 'Deletes the account and anonymises the orders, which stay. The member may be deleted.',
    status: 204,
    problems: [erasureHindered],
  },
  ({ db, params }) => erase(db, params.id),
);

export const adminRoutes = [...adminMembers, exportMember, eraseMember];

/**
 * Staff users and invites.
 */
import { notFound, pageQuery, paginate, route } from '@carton/runtime';
import { AcceptInvite, CreatedInvite, CreateInvite, StaffInvitePage, StaffUser, StaffUserPage } from '../schemas.ts';
import { acceptInvite as accept, alreadyStaff, invite, inviteUnknown, revokeInvite as revoke } from '../service.ts';
import { findStaffById, type InviteRow, type StaffRow } from '../store.ts';

const tag = 'Staff';

export const listStaff = route(
  {
    method: 'get',
    path: '/admin/users',
    operationId: 'listStaff',
    tag,
    summary: 'List staff',
    access: 'staff',
    query: pageQuery(),
    status: 200,
    response: StaffUserPage,
  },
  ({ db, query }) => paginate(db.table<StaffRow>('staff_users'), 'staff_users', query),
);

export const readStaff = route(
  {
    method: 'get',
    path: '/admin/users/:id',
    operationId: 'readStaff',
    tag,
    summary: 'Read a member of staff',
    access: 'staff',
    status: 200,
    response: StaffUser,
  },
  async ({ db, params }) => {
    const user = await findStaffById(db, params.id);
    if (!user) throw notFound(`No member of staff has the id ${params.id}.`);
    return user;
  },
);

export const listInvites = route(
  {
    method: 'get',
    path: '/admin/invites',
    operationId: 'listInvites',
    tag,
    summary: 'List open invites',
    access: 'staff',
    query: pageQuery(),
    status: 200,
    response: StaffInvitePage,
  },
  ({ db, query }) => {
    const open = db.table<InviteRow>('staff_invites').where('expires_at', '>', db.raw('now()'));
    return paginate(open, 'staff_invites', query);
  },
);

export const createInvite = route(
  {
    method: 'post',
    path: '/admin/invites',
    operationId: 'createInvite',
    tag,
    summary: 'Invite somebody to work for the shop',
    access: 'staff',
    body: CreateInvite,
    status: 201,
    response: CreatedInvite,
    problems: [alreadyStaff],
  },
  ({ db, body }) => invite(db, body),
);

export const revokeInvite = route(
  {
    method: 'delete',
    path: '/admin/invites/:id',
    operationId: 'revokeInvite',
    tag,
    summary: 'Revoke an invite',
    access: 'staff',
    status: 204,
  },
  ({ db, params }) => revoke(db, params.id),
);

export const acceptInvite = route(
  {
    method: 'post',
    path: '/admin/invites/accept',
    operationId: 'acceptInvite',
    tag,
    summary: 'Accept an invite with its token',
    access: 'public',
    body: AcceptInvite,
    status: 201,
    response: StaffUser,
    problems: [inviteUnknown],
  },
  ({ db, body }) => accept(db, body),
);

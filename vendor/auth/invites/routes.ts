/**
 * Routes of invites.
 */
import { quotaExceeded } from '@carton/core';
import { pageQuery, route, tooManyRequests } from '@carton/runtime';
import { limitedByAttempts } from '../attempts/service.ts';
import { permissionsOfRole } from '../permissions/roles.ts';
import { refuseGrantBeyond } from '../permissions/service.ts';
import { StaffUser } from '../schemas.ts';
import { alreadyStaff, inviteUnknown } from './problems.ts';
import { AcceptInvite, CreatedInvite, CreateInvite, StaffInvitePage } from './schemas.ts';
import { acceptInvite as accept, invite, revokeInvite as revoke } from './service.ts';
import { staffInvites } from './store.ts';

const tag = 'Staff';

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
  ({ db, query }) => staffInvites.page(db, { ...query, open: true }),
);

export const createInvite = route(
  {
    method: 'post',
    path: '/admin/invites',
    operationId: 'createInvite',
    tag,
    summary: 'Invite a person to the staff of the store',
    access: 'staff',
    body: CreateInvite,
    status: 201,
    response: CreatedInvite,
    problems: [alreadyStaff, quotaExceeded],
  },
  ({ db, staff, body }) => {
    refuseGrantBeyond(staff, permissionsOfRole[body.role]);
    return invite(db, body, staff);
  },
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
  ({ db, staff, params }) => revoke(db, staff, params.id),
);

export const acceptInvite = route(
  {
    method: 'post',
    path: '/admin/invites/accept',
    operationId: 'acceptInvite',
    tag,
    summary: 'Accept an invite by its token',
    access: 'public',
    ...limitedByAttempts,
    body: AcceptInvite,
    status: 201,
    response: StaffUser,
    problems: [inviteUnknown, alreadyStaff, tooManyRequests],
  },
  ({ body, ...caller }) => accept(caller, body),
);

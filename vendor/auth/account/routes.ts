/**
 * Routes of the member of staff who is logged in.
 */
import { pageQuery, route, tooManyRequests } from '@carton/runtime';
import { permissionsAmong } from '../permissions/service.ts';
import { wrongPassword } from '../problems.ts';
import { ChangeMe, Me, OwnStaffSessionPage } from '../schemas.ts';
import { endOwnSession, listOwnSessions } from '../sessions/service.ts';
import { changeMe, readOwnUser } from '../staff/service.ts';

const tag = 'Staff';

export const readMe = route(
  {
    method: 'get',
    path: '/admin/me',
    operationId: 'readMe',
    tag,
    summary: 'Read your own staff account and its permissions',
    access: 'staff',
    permission: false,
    status: 200,
    response: Me,
  },
  async ({ box, ...caller }) => {
    const user = await readOwnUser(caller);
    return { ...user, permissions: permissionsAmong(caller.staff.permissions, box.permissions) };
  },
);

export const updateMe = route(
  {
    method: 'patch',
    path: '/admin/me',
    operationId: 'updateMe',
    tag,
    summary: 'Change your own name, locale or password',
    access: 'staff',
    permission: false,
    body: ChangeMe,
    status: 200,
    response: Me,
    problems: [wrongPassword, tooManyRequests],
  },
  async ({ box, body, ...caller }) => {
    const user = await changeMe(caller, body);
    return { ...user, permissions: permissionsAmong(caller.staff.permissions, box.permissions) };
  },
);

export const listStaffSessions = route(
  {
    method: 'get',
    path: '/admin/me/sessions',
    beyond: true,
    operationId: 'listStaffSessions',
    tag,
    summary: 'List your sessions, newest first',
    access: 'staff',
    permission: false,
    query: pageQuery(),
    status: 200,
    response: OwnStaffSessionPage,
  },
  ({ query, ...caller }) => listOwnSessions(caller, query),
);

export const endStaffSession = route(
  {
    method: 'delete',
    path: '/admin/me/sessions/:id',
    beyond: true,
    operationId: 'endStaffSession',
    tag,
    summary: 'End one of your sessions',
    access: 'staff',
    permission: false,
    status: 204,
  },
  ({ params, ...caller }) => endOwnSession(caller, params.id),
);

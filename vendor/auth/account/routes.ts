/**
 * Routes of the member of staff who is logged in.
 */
import { route, tooManyRequests } from '@carton/runtime';
import { wrongPassword } from '../passwords/problems.ts';
import { permissionsAmong } from '../permissions/service.ts';
import { ChangeMe, Me } from './schemas.ts';
import { changeMe, readOwnUser } from './service.ts';

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

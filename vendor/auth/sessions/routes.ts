/**
 * Routes of staff sessions.
 */
import { pageQuery, route, tooManyRequests } from '@carton/runtime';
import { limitedByAttempts } from '../attempts/service.ts';
import { wrongCode } from '../second-factor/problems.ts';
import { challengeUnknown, secondFactorRequired, wrongLogIn } from './problems.ts';
import { CompleteLogIn, LogIn, OwnStaffSessionPage, StaffSession } from './schemas.ts';
import { completeLogIn, endOwnSession, listOwnSessions, logIn, logOut } from './service.ts';

const tag = 'Staff';

export const logInStaff = route(
  {
    method: 'post',
    path: '/admin/auth/login',
    operationId: 'logInStaff',
    tag,
    summary: 'Log in and open a staff session',
    description:
      'Closes the session whose token or cookie the request sends. A person with a second factor gets the problem ' +
      '`second_factor_required` with a `challenge`, and completes the log-in with a code.',
    access: 'public',
    ...limitedByAttempts,
    body: LogIn,
    status: 200,
    response: StaffSession,
    problems: [wrongLogIn, secondFactorRequired, tooManyRequests],
  },
  ({ body, ...caller }) => logIn(caller, body),
);

export const completeStaffLogIn = route(
  {
    method: 'post',
    path: '/admin/auth/login/second-factor',
    beyond: true,
    operationId: 'completeStaffLogIn',
    tag,
    summary: 'Complete a log-in with a code of the second factor',
    description:
      'A challenge is valid for 10 minutes and at most 5 codes. Closes the session whose token or cookie the request sends.',
    access: 'public',
    ...limitedByAttempts,
    body: CompleteLogIn,
    status: 200,
    response: StaffSession,
    problems: [challengeUnknown, wrongCode, tooManyRequests],
  },
  ({ body, ...caller }) => completeLogIn(caller, body),
);

export const logOutStaff = route(
  {
    method: 'post',
    path: '/admin/auth/logout',
    operationId: 'logOutStaff',
    tag,
    summary: 'Log out and close the staff session',
    access: 'staff',
    permission: false,
    status: 204,
  },
  ({ db, staff, cookies }) => logOut(db, staff.sessionId, { cookies }),
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

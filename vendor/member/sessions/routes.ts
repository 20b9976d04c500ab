/**
 * Routes of members' sessions.
 */
import { LogIn, limitedByAttempts, wrongLogIn } from '@carton/auth';
import { pageQuery, route, tooManyRequests } from '@carton/runtime';
import { MemberLogIn, MemberSessionPage } from './schemas.ts';
import { endSession, listSessions, logIn, logOut } from './service.ts';

const tag = 'Member';

export const logInMember = route(
  {
    method: 'post',
    path: '/member/login',
    operationId: 'logInMember',
    tag,
    summary: 'Log in as a member',
    description:
      "Moves the guest's cart into the member's and replaces the guest's session. Closes the session whose token or cookie the request sends.",
    access: 'session',
    ...limitedByAttempts,
    body: LogIn,
    status: 200,
    response: MemberLogIn,
    problems: [wrongLogIn, tooManyRequests],
  },
  ({ body, ...caller }) => logIn(caller, body),
);

const logOutMember = route(
  {
    method: 'post',
    path: '/member/logout',
    operationId: 'logOutMember',
    tag,
    summary: 'Log out',
    access: 'member',
    status: 204,
  },
  (caller) => logOut(caller),
);

const listMemberSessions = route(
  {
    method: 'get',
    path: '/member/sessions',
    beyond: true,
    operationId: 'listMemberSessions',
    tag,
    summary: 'List your sessions, newest first',
    access: 'member',
    query: pageQuery(),
    status: 200,
    response: MemberSessionPage,
  },
  ({ query, ...caller }) => listSessions(caller, query),
);

const endMemberSession = route(
  {
    method: 'delete',
    path: '/member/sessions/:id',
    beyond: true,
    operationId: 'endMemberSession',
    tag,
    summary: 'End one of your sessions',
    access: 'member',
    status: 204,
  },
  ({ params, ...caller }) => endSession(caller, params.id),
);

export const sessionRoutes = [logInMember, logOutMember, listMemberSessions, endMemberSession];

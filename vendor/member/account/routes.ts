/**
 * Routes of a member's own account.
 */
import { wrongPassword } from '@carton/auth';
import { erasureHindered, route, tooManyRequests } from '@carton/runtime';
import { requestEmailChange } from '../email/service.ts';
import { eraseOwnMember, exportMember } from '../members/service.ts';
import { ChangeEmail, ChangeOwnMember, EraseMember, Member, PersonalDataExport } from '../schemas.ts';
import { changeOwnMember, readOwnMember } from './service.ts';

const common = { tag: 'Member', access: 'member' } as const;

export const readMember = route(
  {
    ...common,
    method: 'get',
    path: '/member',
    operationId: 'readMember',
    summary: 'Read your own account',
    status: 200,
    response: Member,
  },
  ({ db, session }) => readOwnMember(db, session.memberId),
);

export const updateMember = route(
  {
    ...common,
    method: 'patch',
    path: '/member',
    operationId: 'updateMember',
    summary: 'Change your own profile, password or consent to advertising',
    body: ChangeOwnMember,
    status: 200,
    response: Member,
    problems: [wrongPassword, tooManyRequests],
  },
  ({ body, ...caller }) => changeOwnMember(caller, body),
);

export const changeMemberEmail = route(
  {
    ...common,
    method: 'post',
    path: '/member/email',
    beyond: true,
    operationId: 'changeMemberEmail',
    summary: 'Request a change of your e-mail address',
    description:
      'Sends a link to the new address; it counts once `POST /member/email/verify` has verified it. The response does not tell whether another member has the address.',
    body: ChangeEmail,
    status: 202,
    problems: [wrongPassword, tooManyRequests],
  },
  ({ body, ...caller }) => requestEmailChange(caller, body),
);

export const exportOwnData = route(
  {
    ...common,
    method: 'get',
    path: '/member/data-export',
    beyond: true,
    operationId: 'exportOwnData',
    summary: 'Export all of your personal data (GDPR, Article 15)',
    status: 200,
    response: PersonalDataExport,
  },
  ({ db, session }) => exportMember(db, session.memberId),
);

export const eraseOwnData = route(
  {
    ...common,
    method: 'post',
    path: '/member/erase',
    beyond: true,
    operationId: 'eraseOwnData',
    summary: 'Erase your personal data and your account (GDPR, Article 17)',
    description: 'Your orders stay, without your name and addresses.',
    body: EraseMember,
    status: 204,
    problems: [wrongPassword, erasureHindered, tooManyRequests],
  },
  ({ body, ...caller }) => eraseOwnMember(caller, body.password),
);

export const profileRoutes = [readMember, updateMember, changeMemberEmail, exportOwnData, eraseOwnData];

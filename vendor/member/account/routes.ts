/**
 * Routes of a member's own account.
 */
import { wrongPassword } from '@carton/auth';
import { erasureHindered, route, tooManyRequests } from '@carton/runtime';
import { exportMember } from '../members/service.ts';
import { Member, PersonalDataExport } from '../schemas.ts';
import { ChangeOwnMember, EraseMember } from './schemas.ts';
import { changeOwnMember, eraseOwnMember, readOwnMember } from './service.ts';

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

const updateMember = route(
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

const exportOwnData = route(
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

const eraseOwnData = route(
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

export const profileRoutes = [readMember, updateMember];
export const personalDataRoutes = [exportOwnData, eraseOwnData];

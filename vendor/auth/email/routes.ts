/**
 * Routes that change the e-mail address of a member of staff.
 */
import { route, tooManyRequests } from '@carton/runtime';
import { limitedByAttempts } from '../attempts/service.ts';
import { wrongPassword } from '../passwords/problems.ts';
import { secondFactorMissing, wrongCode } from '../second-factor/problems.ts';
import { emailChangeUnknown, emailTaken } from './problems.ts';
import { ConfirmEmailChange, RequestEmailChange } from './schemas.ts';
import { confirmEmailChange, requestEmailChange } from './service.ts';

const common = { tag: 'Staff', beyond: true } as const;

export const requestStaffEmail = route(
  {
    ...common,
    method: 'post',
    path: '/admin/me/email',
    operationId: 'requestStaffEmail',
    summary: 'Request a link to a new e-mail address of your account',
    description:
      'The address counts once `POST /admin/auth/email/confirm` has confirmed it. The response does not tell whether another member of staff has it.',
    access: 'staff',
    permission: false,
    body: RequestEmailChange,
    status: 202,
    problems: [wrongPassword, wrongCode, secondFactorMissing, tooManyRequests],
  },
  ({ body, ...caller }) => requestEmailChange(caller, body),
);

export const confirmStaffEmail = route(
  {
    ...common,
    method: 'post',
    path: '/admin/auth/email/confirm',
    operationId: 'confirmStaffEmail',
    summary: 'Change the e-mail address by the token of a link',
    description: 'The token works once. All sessions of the person end; the former address gets a notice.',
    access: 'public',
    ...limitedByAttempts,
    body: ConfirmEmailChange,
    status: 204,
    problems: [emailChangeUnknown, emailTaken, tooManyRequests],
  },
  ({ body, ...caller }) => confirmEmailChange(caller, body.token),
);

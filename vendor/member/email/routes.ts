/**
 * The route that requests a change of the e-mail address. The one that verifies the new address is that of registrations.
 */
import { wrongPassword } from '@carton/auth';
import { route, tooManyRequests } from '@carton/runtime';
import { ChangeEmail } from './schemas.ts';
import { requestEmailChange } from './service.ts';

export const changeMemberEmail = route(
  {
    tag: 'Member',
    access: 'member',
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

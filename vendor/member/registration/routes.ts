/**
 * Routes by which shoppers get an account.
 */
import { limitedByAttempts, wrongPassword } from '@carton/auth';
import { route, tooManyRequests } from '@carton/runtime';
import { emailTaken, linkUnknown, passwordRequired } from '../problems.ts';
import { RegisterMember, RequestVerification, VerifyEmail } from './schemas.ts';
import { register, requestVerification, verifyEmail } from './service.ts';

export const common = { tag: 'Member', access: 'public', method: 'post' } as const;
/** With the shopper's session, by which a link is known to be used where it was requested. */
const inSession = { ...common, access: 'session' } as const;
const sameForAll = 'The response does not tell whether the address has an account: the mail to it does.';

const registerMember = route(
  {
    ...inSession,
    path: '/member/register',
    operationId: 'registerMember',
    summary: 'Register with an e-mail address and a password',
    description: `Sends a mail with a link: the account exists once the link has verified the address, with this password if the link is used in the session of this request. ${sameForAll}`,
    body: RegisterMember,
    status: 202,
    problems: [tooManyRequests],
  },
  ({ body, ...caller }) => register(caller, body),
);

const requestMemberVerification = route(
  {
    ...common,
    path: '/member/email/verification',
    beyond: true,
    operationId: 'requestMemberVerification',
    summary: 'Request the link that verifies an e-mail address again',
    description: sameForAll,
    body: RequestVerification,
    status: 202,
    problems: [tooManyRequests],
  },
  ({ body, ...caller }) => requestVerification(caller, body.email),
);

const verifyMemberEmail = route(
  {
    ...inSession,
    path: '/member/email/verify',
    operationId: 'verifyMemberEmail',
    summary: 'Verify an e-mail address by the token of a link',
    description:
      'Completes a registration or a change of the address. Guest orders with the address then belong to the member. The token works once. The password of a registration counts only in the session that registered, since another person may have entered the address: elsewhere the account gets `password`, or without it a mail with a link to set one. A change of the address needs the log-in, the session of the request, or the password of the account.',
    ...limitedByAttempts,
    body: VerifyEmail,
    status: 204,
    problems: [linkUnknown, passwordRequired, wrongPassword, emailTaken, tooManyRequests],
  },
  ({ body, ...caller }) => verifyEmail(caller, body.token, body.password),
);

export const registrationRoutes = [registerMember, requestMemberVerification, verifyMemberEmail];

/**
 * Routes of the second factor.
 */
import { route, tooManyRequests } from '@carton/runtime';
import { wrongPassword } from '../passwords/problems.ts';
import { ownAccount } from '../staff/problems.ts';
import { secondFactorActive, secondFactorMissing, wrongCode } from './problems.ts';
import {
  BeginSecondFactor,
  ConfirmSecondFactor,
  DisableSecondFactor,
  PendingSecondFactor,
  RecoveryCodes,
  SecondFactor,
} from './schemas.ts';
import * as rules from './service.ts';

const common = { tag: 'Staff', access: 'staff', beyond: true } as const;
const own = { ...common, permission: false } as const;

export const readSecondFactor = route(
  {
    ...own,
    method: 'get',
    path: '/admin/me/second-factor',
    operationId: 'readSecondFactor',
    summary: 'Read whether your second factor is enabled',
    status: 200,
    response: SecondFactor,
  },
  (caller) => rules.readSecondFactor(caller),
);

export const beginSecondFactor = route(
  {
    ...own,
    method: 'post',
    path: '/admin/me/second-factor',
    operationId: 'beginSecondFactor',
    summary: 'Get the secret for an authenticator',
    description: 'The second factor is enabled once a code confirms that the authenticator has the secret.',
    body: BeginSecondFactor,
    status: 201,
    response: PendingSecondFactor,
    problems: [wrongPassword, secondFactorActive, tooManyRequests],
  },
  ({ body, ...caller }) => rules.beginSecondFactor(caller, body.password),
);

export const confirmSecondFactor = route(
  {
    ...own,
    method: 'post',
    path: '/admin/me/second-factor/confirm',
    operationId: 'confirmSecondFactor',
    summary: 'Enable the second factor by a code of the authenticator',
    description: 'Ends all your other sessions. Returns the recovery codes.',
    body: ConfirmSecondFactor,
    status: 200,
    response: RecoveryCodes,
    problems: [wrongCode, secondFactorActive, secondFactorMissing, tooManyRequests],
  },
  ({ body, ...caller }) => rules.confirmSecondFactor(caller, body.code),
);

export const renewRecoveryCodes = route(
  {
    ...own,
    method: 'post',
    path: '/admin/me/second-factor/recovery-codes',
    operationId: 'renewRecoveryCodes',
    summary: 'Replace your recovery codes',
    body: ConfirmSecondFactor,
    status: 200,
    response: RecoveryCodes,
    problems: [wrongCode, secondFactorMissing, tooManyRequests],
  },
  ({ body, ...caller }) => rules.renewRecoveryCodes(caller, body.code),
);

export const disableSecondFactor = route(
  {
    ...own,
    method: 'post',
    path: '/admin/me/second-factor/disable',
    operationId: 'disableSecondFactor',
    summary: 'Disable your second factor by the password and a code',
    body: DisableSecondFactor,
    status: 204,
    problems: [wrongPassword, wrongCode, secondFactorMissing, tooManyRequests],
  },
  ({ body, ...caller }) => rules.disableSecondFactor(caller, body),
);

export const resetSecondFactor = route(
  {
    ...common,
    method: 'delete',
    path: '/admin/users/:id/second-factor',
    operationId: 'resetSecondFactor',
    summary: 'Remove the second factor of a member of staff who has lost it',
    description: 'Ends all sessions of the person, who then logs in with the password alone.',
    status: 204,
    problems: [ownAccount, secondFactorMissing],
  },
  ({ params, ...caller }) => rules.resetSecondFactor(caller, params.id),
);

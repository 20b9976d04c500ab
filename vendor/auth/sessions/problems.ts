/**
 * Problems of log-ins.
 */
import { DateTime, defineProblem, Type } from '@carton/runtime';

export const wrongLogIn = defineProblem({
  code: 'wrong_login',
  status: 401,
  title: 'E-mail address or password is wrong',
});

export const secondFactorRequired = defineProblem({
  code: 'second_factor_required',
  status: 401,
  title: 'The log-in needs a code of the second factor',
  members: {
    challenge: Type.String({
      description: 'Send it with a code to POST /admin/auth/login/second-factor',
      examples: ['chl_Jm4PZbT0rjYp3hL1sVw8QkXc6NfUgE2aMdRyOiB5H7t'],
    }),
    expiresAt: DateTime,
  },
});

export const challengeUnknown = defineProblem({
  code: 'challenge_unknown',
  status: 404,
  title: 'This challenge is unknown, used or expired',
});

/**
 * Shapes of log-ins and sessions.
 */
import { DateTime, KnownEmail, nullable, object, pageOf, type Static, Type, Uuid } from '@carton/runtime';
import { ExistingPassword } from '../passwords/schemas.ts';
import { exampleToken, Token } from '../schemas.ts';
import { Code } from '../second-factor/schemas.ts';

export const LogIn = object(
  {
    email: KnownEmail,
    password: ExistingPassword,
    cookie: Type.Optional(
      Type.Boolean({ description: 'For browsers: store the session in a cookie that scripts cannot read' }),
    ),
    device: Type.Optional(
      nullable(
        Type.String({
          minLength: 20,
          maxLength: 100,
          description: 'For clients without cookies: `device` of an earlier response, or null to get one',
          examples: [exampleToken],
        }),
      ),
    ),
  },
  { $id: 'LogIn' },
);
export type LogIn = Static<typeof LogIn>;

export const sessionFields = {
  token: nullable(
    Type.String({
      description: 'Send it as Authorization: Bearer. Null if the session is in a cookie',
      examples: [exampleToken],
    }),
  ),
  expiresAt: DateTime,
  device: nullable(
    Type.String({
      description:
        'If `device` was sent: store it and send it with the next log-in, so that guesses from elsewhere do not delay this device',
      examples: [exampleToken],
    }),
  ),
};

const { cookie, device } = LogIn.properties;
export const CompleteLogIn = object({ challenge: Token, code: Code, cookie, device }, { $id: 'CompleteLogIn' });
export type CompleteLogIn = Static<typeof CompleteLogIn>;
export const StaffSession = object(sessionFields, { $id: 'StaffSession' });

/** An open session, as its owner sees it. */
const OwnStaffSession = object(
  {
    id: Uuid,
    address: Type.String({ description: 'IP address of the log-in', examples: ['192.0.2.7'] }),
    userAgent: Type.String({ examples: ['Mozilla/5.0'] }),
    current: Type.Boolean({ description: 'Whether it is the session of this request' }),
    createdAt: DateTime,
    expiresAt: DateTime,
  },
  { $id: 'OwnStaffSession' },
);

export const OwnStaffSessionPage = pageOf(OwnStaffSession, 'OwnStaffSessionPage');

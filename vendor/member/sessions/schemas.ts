/**
 * Shapes of log-ins and sessions.
 */
import { sessionFields } from '@carton/auth';
import { DateTime, object, pageOf, type Static, Type, Uuid } from '@carton/runtime';

export const MemberLogIn = object(sessionFields, { $id: 'MemberLogIn' });
export type MemberLogIn = Static<typeof MemberLogIn>;

const MemberSession = object(
  {
    id: Uuid,
    address: Type.String({ description: 'IP address of the log-in', examples: ['192.0.2.7'] }),
    userAgent: Type.String({ examples: ['Mozilla/5.0'] }),
    current: Type.Boolean({ description: 'Whether it is the session of this request' }),
    createdAt: DateTime,
    expiresAt: DateTime,
  },
  { $id: 'MemberSession' },
);
export const MemberSessionPage = pageOf(MemberSession, 'MemberSessionPage');

/**
 * Shapes of staff, sessions and invites.
 */
import { DateTime, Email, object, oneOf, pageOf, type Static, Type, Uuid } from '@carton/runtime';

export const roles = ['owner', 'manager', 'viewer'] as const;
export type Role = (typeof roles)[number];
const Role = oneOf(roles, { description: 'owner: everything; manager: everything but staff; viewer: reads only' });
const Name = Type.String({ minLength: 1, maxLength: 120, examples: ['Ada Lovelace'] });
const Password = Type.String({ minLength: 10, maxLength: 200, examples: ['correct horse battery'] });
const Token = Type.String({ minLength: 20, maxLength: 100 });

export const StaffUser = object(
  {
    id: Uuid,
    email: Email,
    name: Name,
    role: Role,
    status: oneOf(['active', 'disabled']),
    createdAt: DateTime,
    updatedAt: DateTime,
  },
  { $id: 'StaffUser' },
);
export type StaffUser = Static<typeof StaffUser>;
export const StaffUserPage = pageOf(StaffUser, 'StaffUserPage');

export const Me = object({ ...StaffUser.properties, permissions: Type.Array(Type.String()) }, { $id: 'Me' });

export const LogIn = object(
  { email: Email, password: Type.String({ minLength: 1, maxLength: 200, examples: ['correct horse battery'] }) },
  { $id: 'LogIn' },
);
export const StaffSession = object(
  { token: Type.String({ description: 'Send it as Authorization: Bearer' }), expiresAt: DateTime },
  { $id: 'StaffSession' },
);

export const StaffInvite = object(
  { id: Uuid, email: Email, role: Role, createdAt: DateTime, expiresAt: DateTime },
  { $id: 'StaffInvite' },
);
export const StaffInvitePage = pageOf(StaffInvite, 'StaffInvitePage');
export const CreateInvite = object({ email: Email, role: Role }, { $id: 'CreateInvite' });
export const CreatedInvite = object(
  { ...StaffInvite.properties, token: Type.String({ description: 'Shown once; give it to the invited person' }) },
  { $id: 'CreatedInvite' },
);
export const AcceptInvite = object({ token: Token, name: Name, password: Password }, { $id: 'AcceptInvite' });

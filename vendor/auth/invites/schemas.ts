/**
 * Shapes of invites.
 */
import { DateTime, Email, object, pageOf, Type, Uuid } from '@carton/runtime';
import { Password } from '../passwords/schemas.ts';
import { Role } from '../permissions/roles.ts';
import { exampleToken, Name, Token } from '../schemas.ts';

const StaffInvite = object(
  { id: Uuid, email: Email, role: Role, createdAt: DateTime, expiresAt: DateTime },
  { $id: 'StaffInvite' },
);

export const StaffInvitePage = pageOf(StaffInvite, 'StaffInvitePage');
export const CreateInvite = object({ email: Email, role: Role }, { $id: 'CreateInvite' });

export const CreatedInvite = object(
  {
    ...StaffInvite.properties,
    token: Type.String({ description: 'Shown only here; pass it to the invited person', examples: [exampleToken] }),
  },
  { $id: 'CreatedInvite' },
);

export const AcceptInvite = object({ token: Token, name: Name, password: Password }, { $id: 'AcceptInvite' });

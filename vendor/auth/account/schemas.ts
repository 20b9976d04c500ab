/**
 * Shapes of the own account.
 */
import { changeOf, Locale, nullable, object, type Static, Type } from '@carton/runtime';
import { ExistingPassword, Password } from '../passwords/schemas.ts';
import { Name, StaffUser } from '../schemas.ts';

export const Me = object(
  { ...StaffUser.properties, permissions: Type.Array(Type.String({ examples: ['order:read'] })) },
  { $id: 'Me' },
);

export const ChangeMe = changeOf(
  {
    name: Name,
    locale: nullable(Locale),
    password: Type.String({ ...Password, description: 'The new password. Setting it ends all other sessions' }),
    currentPassword: Type.String({ ...ExistingPassword, description: 'Required with `password`' }),
  },
  { $id: 'ChangeMe' },
);
export type ChangeMe = Static<typeof ChangeMe>;

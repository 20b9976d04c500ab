/**
 * Shapes of the own account.
 */
import { ExistingPassword, Password } from '@carton/auth';
import { changeOf, object, type Static, withOptions } from '@carton/runtime';
import { AcceptsMarketing, profileFields } from '../schemas.ts';

export const ChangeOwnMember = changeOf(
  {
    ...profileFields,
    acceptsMarketing: AcceptsMarketing,
    password: withOptions(Password, { description: 'The new password. Setting it ends all other sessions' }),
    currentPassword: withOptions(ExistingPassword, { description: 'Required with `password`' }),
  },
  { $id: 'ChangeMember' },
);
export type ChangeOwnMember = Static<typeof ChangeOwnMember>;

export const EraseMember = object({ password: ExistingPassword }, { $id: 'EraseMember' });

/**
 * Shapes of the change of an e-mail address.
 */
import { ExistingPassword } from '@carton/auth';
import { Email, object } from '@carton/runtime';

export const ChangeEmail = object({ email: Email, password: ExistingPassword }, { $id: 'ChangeMemberEmail' });

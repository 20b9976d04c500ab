/**
 * Shapes of the password reset.
 */
import { KnownEmail, object, Type } from '@carton/runtime';
import { Token } from '../schemas.ts';

export const Password = Type.String({ minLength: 10, maxLength: 200, examples: ['correct horse battery'] });

/** A password to be verified. It may have been chosen under earlier rules. */
export const ExistingPassword = Type.String({ minLength: 1, maxLength: 200, examples: ['correct horse battery'] });

export const ForgottenPassword = object({ email: KnownEmail }, { $id: 'ForgottenPassword' });
export const ResetPassword = object({ token: Token, password: Password }, { $id: 'ResetPassword' });

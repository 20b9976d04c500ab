/**
 * Shapes of registration.
 */
import { Password, Token } from '@carton/auth';
import { Email, KnownEmail, object, type Static, Type, withOptions } from '@carton/runtime';
import { AcceptsMarketing, profileFields } from '../schemas.ts';

export const RegisterMember = object(
  {
    email: Email,
    password: Password,
    name: Type.Optional(profileFields.name),
    phone: Type.Optional(profileFields.phone),
    locale: Type.Optional(profileFields.locale),
    acceptsMarketing: Type.Optional(AcceptsMarketing),
  },
  { $id: 'RegisterMember' },
);
export type RegisterMember = Static<typeof RegisterMember>;

export const VerifyEmail = object(
  {
    token: Token,
    password: Type.Optional(
      withOptions(Password, {
        description:
          'Sets the password of a new account where the link is used in another session than that of the registration. Of a change of the address, the password of the account, unless the member is logged in',
      }),
    ),
  },
  { $id: 'VerifyEmail' },
);
export const RequestVerification = object({ email: KnownEmail }, { $id: 'RequestVerification' });

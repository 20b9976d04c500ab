/**
 * Settings of auth, read from the environment.
 */
import { packageSettings, Type } from '@carton/runtime';

/** The address is the operator's to set: someone who could change it would receive the tokens of others. */
export const authSettings = packageSettings({
  STAFF_APP_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^/?#\\s]+(/[^?#\\s]*)?$',
      description:
        'Address of the application for staff. Mails link to `<address>/invite?token=…`, `<address>/reset?token=…` and `<address>/email?token=…`; without it they contain the token alone',
    }),
  ),
  SECOND_FACTOR_KEY: Type.Optional(
    Type.String({
      minLength: 32,
      description:
        'Secret that encrypts the secrets of second factors in the database; without it they are stored unencrypted. Keep it: with another one, authenticators stop working until an owner resets them',
      writeOnly: true,
    }),
  ),
});

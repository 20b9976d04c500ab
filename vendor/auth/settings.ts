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
        'Address of the application for staff. Mails link to `<address>/invite?token=…` and `<address>/reset?token=…`; without it they contain the token alone',
    }),
  ),
});

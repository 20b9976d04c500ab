/**
 * Settings of members, stored with those of the store.
 */
import { linkPage, storeSettings } from '@carton/core';

const opens = 'member:write';

export const memberSettings = storeSettings('member', {
  verificationUrl: linkPage(opens, {
    example: 'https://www.example.com/account/verify?token={token}',
    description:
      'Page of the storefront that verifies e-mail addresses, with `{token}` in place of the token; without it, mails contain the token',
  }),
  passwordResetUrl: linkPage(opens, {
    example: 'https://www.example.com/account/password?token={token}',
    description:
      'Page of the storefront on which members set a new password, with `{token}` in place of the token; without it, mails contain the token',
  }),
});

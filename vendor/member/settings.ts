/**
 * Settings of members, stored with those of the store.
 */
import { storeSettings } from '@carton/core';
import { nullable, Type, withOptions } from '@carton/runtime';

const pageUrl = (description: string) =>
  withOptions(
    nullable(
      Type.String({
        pattern: '^https?://[^\\s{}]+\\{token\\}[^\\s{}]*$',
        maxLength: 2000,
        examples: ['https://www.example.com/account/verify?token={token}'],
      }),
    ),
    { default: null, description },
  );

export const memberSettings = storeSettings('member', {
  verificationUrl: pageUrl(
    'Page of the storefront that verifies e-mail addresses, with `{token}` in place of the token; without it, mails contain the token',
  ),
  passwordResetUrl: pageUrl(
    'Page of the storefront on which members set a new password, with `{token}` in place of the token; without it, mails contain the token',
  ),
});

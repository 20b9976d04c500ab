/**
 * Settings of orders, stored with those of the store.
 */
import { storeSettings } from '@carton/core';
import { nullable, Type, withOptions } from '@carton/runtime';

export const orderSettings = storeSettings('order', {
  lookupUrl: withOptions(
    nullable(
      Type.String({
        pattern: '^https?://[^\\s{}]+\\{token\\}[^\\s{}]*$',
        maxLength: 2000,
        examples: ['https://www.example.com/order?token={token}'],
      }),
    ),
    {
      default: null,
      description:
        'Page of the storefront that shows an order by the link in a mail, with `{token}` in place of the token; without it, mails contain the token',
    },
  ),
});

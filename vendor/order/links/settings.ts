/**
 * Settings of orders, stored with those of the store.
 */
import { linkPage, storeSettings } from '@carton/core';

export const orderSettings = storeSettings('order', {
  lookupUrl: linkPage('order:write', {
    example: 'https://www.example.com/order?token={token}',
    description:
      'Page of the storefront that shows an order by the link in a mail, with `{token}` in place of the token; without it, mails contain the token',
  }),
});

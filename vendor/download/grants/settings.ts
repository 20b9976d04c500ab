/**
 * Settings of downloads, stored with those of the store.
 */
import { linkPage, storeSettings } from '@carton/core';
import { nullable, Type, withOptions } from '@carton/runtime';

export const downloadSettings = storeSettings('download', {
  maxDownloads: withOptions(nullable(Type.Integer({ minimum: 1, maximum: 10_000 })), {
    default: 10,
    description: 'How often the buyer may download each file; null for unlimited. Applies to grants from then on',
  }),
  validDays: withOptions(nullable(Type.Integer({ minimum: 1, maximum: 36_500 })), {
    default: null,
    description:
      'Days after the payment in which files can be downloaded; null for ever. Applies to grants from then on',
  }),
  linkUrl: linkPage('download:write', {
    example: 'https://www.example.com/downloads/{token}',
    description:
      'Address in mails that leads to a file, with `{token}` in place of the token; without it, the address of this API at the first host of the store',
  }),
});

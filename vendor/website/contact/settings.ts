/**
 * Settings of the contact form.
 */
import { storeSettings } from '@carton/core';
import { Type } from '@carton/runtime';

export const websiteSettings = storeSettings('website', {
  contactTokenRequired: Type.Boolean({
    default: false,
    description: 'Whether `POST /contact` requires a token of `GET /contact/token`, which clients cannot invent',
  }),
});

/**
 * Schemas of profiles, as staff manage them.
 */
import { ShippingProfileCode } from '@carton/product';
import { integrationQuery, type Static, shapesOf, Type, withOptions } from '@carton/runtime';
import { Name } from '../schemas.ts';

export const profileShapes = shapesOf({
  name: 'ShippingProfile',
  immutable: {
    code: withOptions(ShippingProfileCode, { description: 'Products refer to it', examples: ['bulky'] }),
  },
  fields: { name: withOptions(Name, { examples: ['Bulky goods'] }) },
});
export type ShippingProfile = Static<typeof profileShapes.Item>;
export const ShippingProfileQuery = integrationQuery({ code: Type.Optional(ShippingProfileCode) });

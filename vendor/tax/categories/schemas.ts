/**
 * Schemas of tax categories.
 */
import { TaxCategoryCode } from '@carton/product';
import { humanText, integrationQuery, nullable, type Static, shapesOf, Type, withOptions } from '@carton/runtime';

export const categoryShapes = shapesOf({
  name: 'TaxCategory',
  immutable: {
    code: withOptions(TaxCategoryCode, { description: 'Products and custom lines refer to it', examples: ['books'] }),
  },
  fields: {
    name: humanText(120, { examples: ['Books'] }),
    providerCode: withOptions(nullable(humanText(120, { description: "The tax provider's code of this category" })), {
      default: null,
      examples: ['txcd_35010000'],
    }),
  },
});
export type TaxCategory = Static<typeof categoryShapes.Item>;
export type CreateTaxCategory = Static<typeof categoryShapes.Create>;
export type ChangeTaxCategory = Static<typeof categoryShapes.Change>;

export const TaxCategoryQuery = integrationQuery({ code: Type.Optional(TaxCategoryCode) });

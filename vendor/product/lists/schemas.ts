/**
 * Schemas of the lists of products, for shoppers and for staff.
 */
import {
  Handle,
  integrationPageOf,
  integrationQuery,
  oneOf,
  pageOf,
  pageQuery,
  type Static,
  type TSchema,
  Type,
} from '@carton/runtime';
import { AdminProduct, Product } from '../reads/schemas.ts';
import { Brand, ProductType, Status } from '../schemas.ts';
import { TagParameter } from '../tags/schemas.ts';
import { viewParameters } from '../viewers/schemas.ts';

export const ProductPage = pageOf(Product, 'ProductPage');

export const AdminProductPage = integrationPageOf(AdminProduct, 'AdminProductPage');

const TitleText = Type.String({
  minLength: 1,
  maxLength: 200,
  description:
    'Finds products whose title or SKUs have words that begin with each word of this text, ignoring case, accents and ' +
    'apostrophes: `blue lin` finds "Linen shirt blue", `creme` "Crème brûlée". In scripts without spaces between ' +
    'words (Chinese, Japanese, Thai), and in Korean, it finds the text anywhere',
  examples: ['linen'],
});

const productParameters = {
  ...viewParameters,
  q: Type.Optional(TitleText),
  handle: Type.Optional(Handle),
  brand: Type.Optional(Brand),
  type: Type.Optional(ProductType),
};
const sortNames = ['newest', 'oldest', 'title'] as const;
export const ProductQuery = pageQuery({ ...productParameters, sort: oneOf(sortNames, { default: 'newest' }) });
export type ProductQuery = Static<typeof ProductQuery>;
/** The query in a box whose packages contribute filters and sorts. */
export function productQueryWith(
  filters: Record<string, TSchema>,
  { names, description }: { names: readonly string[]; description: string },
) {
  const sort = oneOf([...sortNames, ...names], { default: 'newest', ...(description && { description }) });
  return pageQuery({ ...productParameters, ...filters, sort });
}

export const AdminProductQuery = integrationQuery({
  q: Type.Optional(TitleText),
  handle: Type.Optional(Handle),
  brand: Type.Optional(Brand),
  type: Type.Optional(ProductType),
  status: Type.Optional(Status),
  tag: Type.Optional(TagParameter),
});
export type AdminProductQuery = Static<typeof AdminProductQuery>;

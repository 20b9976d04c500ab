/**
 * @carton/product: products, their options and variants.
 */
import { definePackage, storefrontAddresses } from '@carton/runtime';
import { productAddresses } from './addresses.ts';
import { productCreated, productDeleted, productUpdated, variantUpdated } from './events.ts';
import { addProductOption, removeProductOption, updateProductOption } from './routes/options.ts';
import { adminProducts, duplicateProduct } from './routes/products.ts';
import { listProducts, readProduct, readVariant } from './routes/storefront.ts';
import { adminVariants, createVariant } from './routes/variants.ts';
import { productFact, ruleFacts } from './rule-facts.ts';

export {
  type PriceRequest,
  type VariantCreatedListener,
  type VariantPrice,
  type VariantPricer,
  type ViewRequest,
  variantCreatedListeners,
  variantPricers,
} from './extensions.ts';
export { findProductIds, findVariants } from './lookups.ts';
export { allowsQuantity, explainQuantityRule, type QuantityRule } from './quantities.ts';
export {
  evaluateFacts,
  type FactItem,
  type FactQuery,
  type FactResults,
  type FactShopper,
  type MemberGroups,
  memberGroups,
  type RuleCondition,
  type RuleFact,
  resolveShopper,
  ruleConditionSchema,
  ruleFact,
  ruleFacts,
} from './rule-facts.ts';
export { filterProductsByRule, listProductsByRule, ProductCondition, ProductRule } from './rules.ts';
export {
  Product,
  ProductPage,
  priceParameters,
  ShippingProfileCode,
  TaxCategoryCode,
  viewParameters,
} from './schemas.ts';
export { listPublishedProducts } from './service.ts';
export { hasProductOfShippingProfile, hasProductOfTaxCategory } from './store.ts';
export { type ProductText, type ProductTexts, productTexts } from './texts.ts';
export { isForSale, type VariantInfo } from './variant-info.ts';
export {
  type ProductViewer,
  type ResolvedViewer,
  type ShopperChannel,
  shopperChannels,
  viewerOf,
  viewRequestOf,
} from './viewer.ts';
export { type ProductVisibility, productVisibility } from './visibility.ts';

export default definePackage({
  routes: [
    listProducts,
    readProduct,
    readVariant,
    ...adminProducts,
    duplicateProduct,
    addProductOption,
    updateProductOption,
    removeProductOption,
    ...adminVariants,
    createVariant,
  ],
  events: [productCreated, productUpdated, productDeleted, variantUpdated],
  extends: [ruleFacts.with(productFact), storefrontAddresses.with(productAddresses)],
});

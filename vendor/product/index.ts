/**
 * @carton/product: products, their options and variants.
 */
import { tenantQuotas } from '@carton/core';
import { mediaUses } from '@carton/media';
import { definePackage, languageIndexes, storefrontAddresses, storefrontTargets } from '@carton/runtime';
import { productAddresses, productTargets } from './addresses.ts';
import { productCreated, productDeleted, productUpdated, variantUpdated } from './events.ts';
import { productListFilters } from './list-filters.ts';
import { productMediaUse } from './media.ts';
import { productQuota, variantQuota } from './quotas.ts';
import { setProductMedia } from './routes/media.ts';
import { addProductOption, removeProductOption, updateProductOption } from './routes/options.ts';
import { adminProducts, duplicateProduct } from './routes/products.ts';
import { listRelatedProducts, readRelatedProducts, setRelatedProducts } from './routes/related.ts';
import { listProducts, readProduct, readVariant } from './routes/storefront.ts';
import { adminVariants, createVariant } from './routes/variants.ts';
import { productFact, ruleFacts } from './rule-facts.ts';
import { applyDueSchedules } from './schedule-job.ts';
import { tagFilter } from './tags.ts';
import { titleIndex } from './title-order.ts';
import { fillSearchWords } from './word-job.ts';

export {
  type PriceRequest,
  type ShopperTerms,
  type ShopperTermsSource,
  shopperTerms,
  type VariantCreatedListener,
  type VariantDeletedListener,
  type VariantPrice,
  type VariantPricer,
  type ViewRequest,
  variantCreatedListeners,
  variantDeletedListeners,
  variantPricers,
} from './extensions.ts';
export { type ProductListFilter, productListFilters } from './list-filters.ts';
export { findProductIds, findProductTimes, findSiblings, findVariants } from './lookups.ts';
export { type ProductMeasure, productMeasures } from './measures.ts';
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
  isForCallerAlone,
  isOfShopper,
  type ProductViewer,
  type ResolvedViewer,
  type Shopper,
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
    readRelatedProducts,
    setRelatedProducts,
    listRelatedProducts,
    addProductOption,
    updateProductOption,
    removeProductOption,
    ...adminVariants,
    createVariant,
    setProductMedia,
  ],
  jobs: [applyDueSchedules, fillSearchWords],
  events: [productCreated, productUpdated, productDeleted, variantUpdated],
  extends: [
    mediaUses.with(productMediaUse),
    tenantQuotas.with(productQuota),
    tenantQuotas.with(variantQuota),
    productListFilters.with(tagFilter),
    ruleFacts.with(productFact),
    languageIndexes.with(titleIndex),
    storefrontAddresses.with(productAddresses),
    storefrontTargets.with(productTargets),
  ],
});

/**
 * @carton/product: products, their options and variants.
 */
import { tenantQuotas } from '@carton/core';
import { mediaUses } from '@carton/media';
import { definePackage, languageIndexes, storefrontAddresses, storefrontTargets } from '@carton/runtime';
import { productCreated, productDeleted, productUpdated, variantUpdated } from './events.ts';
import { productFact, ruleFacts } from './facts/service.ts';
import { productListFilters } from './filters/lists-store.ts';
import { listProducts, readProduct, readVariant } from './lists/routes.ts';
import { titleIndex } from './lists/title-order.ts';
import { setProductMedia } from './media/routes.ts';
import { productMediaUse } from './media/store.ts';
import { addProductOption, removeProductOption, updateProductOption } from './options/routes.ts';
import { adminProducts, duplicateProduct } from './products/routes.ts';
import { productQuota, variantQuota } from './quotas.ts';
import { productAddresses, productTargets } from './reads/addresses-store.ts';
import { listRelatedProducts, readRelatedProducts, setRelatedProducts } from './related/routes.ts';
import { applyDueSchedules } from './schedule/job.ts';
import { fillSearchWords } from './search/job.ts';
import { tagFilter } from './tags/service.ts';
import { adminVariants, createVariant } from './variants/routes.ts';

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
} from './facts/service.ts';
export { type ProductListFilter, productListFilters } from './filters/lists-store.ts';
export { type ProductMeasure, productMeasures } from './filters/measures.ts';
export { listPublishedProducts } from './products/service.ts';
export { allowsQuantity, explainQuantityRule, type QuantityRule } from './quantities.ts';
export { isForSale, type VariantInfo } from './reads/lookups.ts';
export { findProductIds, findProductTimes, findSiblings, findVariants } from './reads/lookups-store.ts';
export { type ProductText, type ProductTexts, productTexts } from './reads/texts.ts';
export { filterProductsByRule, listProductsByRule, ProductCondition, ProductRule } from './rules/store.ts';
export {
  Product,
  ProductPage,
  priceParameters,
  ShippingProfileCode,
  TaxCategoryCode,
  viewParameters,
} from './schemas.ts';
export { hasProductOfShippingProfile, hasProductOfTaxCategory } from './store.ts';
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
} from './viewers/service.ts';
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
} from './viewers/terms.ts';
export { type ProductVisibility, productVisibility } from './viewers/visibility.ts';

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

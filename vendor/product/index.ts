/**
 * @carton/product: products, their options and variants.
 */
import { tenantQuotas } from '@carton/core';
import { mediaUses } from '@carton/media';
import { definePackage, languageIndexes, storefrontAddresses, storefrontTargets } from '@carton/runtime';
import { productEvents, variantEvents } from './events.ts';
import { productFact, ruleFacts } from './facts/extensions.ts';
import { productListFilters } from './filters/extensions.ts';
import { listProducts } from './lists/routes.ts';
import { titleIndex } from './lists/title-order-store.ts';
import { setProductMedia } from './media/routes.ts';
import { productMediaUse } from './media/service.ts';
import { addProductOption, removeProductOption, updateProductOption } from './options/routes.ts';
import { adminProducts, duplicateProduct } from './products/routes.ts';
import { productQuota, variantQuota } from './quotas.ts';
import { productAddresses, productTargets } from './reads/addresses-store.ts';
import { readProduct } from './reads/routes.ts';
import { listRelatedProducts, readRelatedProducts, setRelatedProducts } from './related/routes.ts';
import { applyDueSchedules } from './schedule/job.ts';
import { fillSearchWords } from './search/job.ts';
import { tagFilter } from './tags/service.ts';
import { adminVariants, createVariant, readVariant } from './variants/routes.ts';

export {
  type FactItem,
  type FactQuery,
  type FactShopper,
  type MemberGroups,
  memberGroups,
  type RuleCondition,
  type RuleFact,
  ruleFact,
  ruleFacts,
} from './facts/extensions.ts';
export { ruleConditionSchema } from './facts/schemas.ts';
export { evaluateFacts, type FactResults, resolveShopper } from './facts/service.ts';
export {
  type ProductListFilter,
  type ProductMeasure,
  productListFilters,
  productMeasures,
} from './filters/extensions.ts';
export { ProductPage } from './lists/schemas.ts';
export { allowsQuantity, explainQuantityRule, type QuantityRule } from './quantities.ts';
export { findVariants, isForSale } from './reads/lookups.ts';
export {
  findProductIds,
  findProductTimes,
  findSiblings,
  titleOfVariant,
  type VariantInfo,
} from './reads/lookups-store.ts';
export { Product } from './reads/schemas.ts';
export { listPublishedProducts } from './reads/service.ts';
export { isDefaultTitle, type ProductText, type ProductTexts, productTexts } from './reads/texts.ts';
export { ProductRule } from './rules/schemas.ts';
export { listProductsByRule } from './rules/service.ts';
export { filterProductsByRule } from './rules/store.ts';
export { ShippingProfileCode, TaxCategoryCode } from './schemas.ts';
export { changedProducts, hasProductOfShippingProfile, hasProductOfTaxCategory, isPublishedProduct } from './store.ts';
export {
  type VariantCreatedListener,
  type VariantDeletedListener,
  variantCreatedListeners,
  variantDeletedListeners,
} from './variants/extensions.ts';
export { viewParameters } from './viewers/schemas.ts';
export {
  isForCallerAlone,
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
  type VariantPrice,
  type VariantPricer,
  type ViewRequest,
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
  events: [...Object.values(productEvents), ...Object.values(variantEvents)],
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

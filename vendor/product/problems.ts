/**
 * Problems of product.
 */
import { defineProblem, handleTakenBy, isUniqueViolation } from '@carton/runtime';

export const handleTaken = handleTakenBy('product');
export const skuTaken = defineProblem({ code: 'sku_taken', status: 409, title: 'Another variant has this SKU' });
export const choiceTaken = defineProblem({
  code: 'variant_choice_taken',
  status: 409,
  title: 'Another variant of the product has these option values',
});
export const optionTaken = defineProblem({
  code: 'product_option_taken',
  status: 409,
  title: 'The product already has an option with this name',
});
export const valueInUse = defineProblem({
  code: 'option_value_in_use',
  status: 409,
  title: 'Variants use this option value',
});
export const lastVariant = defineProblem({
  code: 'last_variant',
  status: 409,
  title: 'A product must have at least one variant',
});
export const limitReached = defineProblem({
  code: 'product_limit_reached',
  status: 409,
  title: 'The product has the maximum number of options or variants',
});

/**
 * Throws the problem for a violated unique index, which only a concurrent write causes: earlier checks find the rest.
 */
export function throwConflict(error: unknown): never {
  if (isUniqueViolation(error, 'products_handle')) throw handleTaken();
  if (isUniqueViolation(error, 'product_variants_sku')) throw skuTaken();
  if (isUniqueViolation(error, 'product_variants_choice')) throw choiceTaken();
  throw error;
}

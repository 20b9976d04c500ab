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
  title: 'The product has an option of this name',
});
export const valueInUse = defineProblem({
  code: 'option_value_in_use',
  status: 409,
  title: 'Variants have this option value',
});
export const lastVariant = defineProblem({
  code: 'last_variant',
  status: 409,
  title: 'A product keeps at least one variant',
});
export const limitReached = defineProblem({
  code: 'product_limit_reached',
  status: 409,
  title: 'The product has the most options or variants it may have',
});

/** The problem that a violated unique index stands for: what a check before it cannot see is a write at the same time. */
export function toConflict(error: unknown): unknown {
  if (isUniqueViolation(error, 'products_handle')) return handleTaken();
  if (isUniqueViolation(error, 'product_variants_sku')) return skuTaken();
  if (isUniqueViolation(error, 'product_variants_choice')) return choiceTaken();
  return error;
}

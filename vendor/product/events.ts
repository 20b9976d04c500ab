/**
 * Events of product.
 */
import { nullable, object, publishRow, resourceEvents, type TenantDatabase, Type, Uuid } from '@carton/runtime';
import type { ProductRow } from './store.ts';

export const productEvents = resourceEvents({
  type: 'product',
  noun: 'product',
  updated: 'or its options changed',
  deleted: 'was deleted with its variants',
  payload: object({ handle: Type.String(), status: Type.String() }),
});
export const variantEvents = resourceEvents({
  type: 'variant',
  noun: 'variant',
  created: 'was added to a product',
  payload: object({ productId: Uuid, sku: nullable(Type.String()) }),
});

/** Publishes the event of a changed product or option. */
export function publishProductChange(db: TenantDatabase, product: ProductRow): Promise<void> {
  return publishRow(db, productEvents.updated, 'product', product);
}

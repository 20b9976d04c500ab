/**
 * Events of product.
 */
import { defineEvent, nullable, object, publish, type TenantDatabase, Type, Uuid } from '@carton/runtime';
import type { ProductRow } from './store.ts';

const ProductFact = object({ handle: Type.String(), title: Type.String(), status: Type.String() });

export const productCreated = defineEvent({
  type: 'product.created',
  summary: 'A product was created',
  payload: ProductFact,
});
export const productUpdated = defineEvent({
  type: 'product.updated',
  summary: 'A product or its options changed',
  payload: ProductFact,
});
export const productDeleted = defineEvent({
  type: 'product.deleted',
  summary: 'A product was deleted with its variants',
  payload: ProductFact,
});
export const variantUpdated = defineEvent({
  type: 'variant.updated',
  summary: 'A variant was added, changed or deleted',
  payload: object({ productId: Uuid, sku: nullable(Type.String()), deleted: Type.Boolean() }),
});

/** Publishes the event of a changed product or option. */
export function publishProductChange(db: TenantDatabase, { id, handle, title, status }: ProductRow): Promise<void> {
  return publish(db, productUpdated, { type: 'product', id }, { handle, title, status });
}

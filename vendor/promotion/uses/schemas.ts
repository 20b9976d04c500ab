/**
 * Schemas of the uses of promotions by orders.
 */
import { DateTime, Money, nullable, object, pageOf, type Static, Type, Uuid, withOptions } from '@carton/runtime';

export const PromotionUsage = object(
  {
    id: Uuid,
    orderId: Uuid,
    code: nullable(Type.String({ examples: ['SUMMER'] })),
    amount: Money,
    createdAt: DateTime,
    returnedAt: nullable(withOptions(DateTime, { description: 'When the order was canceled, which returned the use' })),
  },
  { $id: 'PromotionUsage', description: 'The use of a promotion by an order, and what it took off' },
);
export type PromotionUsage = Static<typeof PromotionUsage>;
export const PromotionUsagePage = pageOf(PromotionUsage, 'PromotionUsagePage');

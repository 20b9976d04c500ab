/**
 * The route that lists the uses of a promotion for staff.
 */
import { money, pageQuery, route } from '@carton/runtime';
import { promotions } from '../promotions/store.ts';
import { PromotionUsagePage } from './schemas.ts';
import { listUsages } from './store.ts';

export const listPromotionUsage = route(
  {
    method: 'get',
    path: '/admin/promotions/:id/usage',
    operationId: 'listPromotionUsage',
    tag: 'Promotions',
    summary: 'List the orders that used a promotion, newest first',
    access: 'staff',
    query: pageQuery(),
    status: 200,
    response: PromotionUsagePage,
  },
  async ({ db, params, query }) => {
    await promotions.require(db, params.id);
    const page = await listUsages(db, query, { promotionId: params.id });
    return { ...page, items: page.items.map((use) => ({ ...use, amount: money(use.amount, use.currency) })) };
  },
);

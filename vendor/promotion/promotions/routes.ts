/**
 * Routes of promotions for staff.
 */
import { resource, withOverrides } from '@carton/runtime';
import { promotionLimit } from '../problems.ts';
import { PromotionQuery, promotionShapes, promotionShapesOf } from './schemas.ts';
import { changePromotion, createPromotion, deletePromotion } from './service.ts';
import { promotions } from './store.ts';

const tag = 'Promotions';

const standard = resource({
  path: '/admin/promotions',
  noun: 'promotion',
  tag,
  access: 'staff',
  item: promotionShapes.Item,
  rows: promotions,
  list: { query: PromotionQuery, page: promotionShapes.Page },
  create: {
    body: promotionShapes.Create,
    problems: [promotionLimit],
    run: ({ db, body }) => createPromotion(db, body),
  },
  read: {},
  change: {
    summary: 'Change a promotion; existing orders do not change',
    body: promotionShapes.Change,
    problems: [promotionLimit],
    run: ({ db, params, body }) => changePromotion(db, params.id, body),
  },
  remove: {
    summary: 'Delete a promotion and its codes; existing orders do not change',
    run: ({ db, params }) => deletePromotion(db, params.id),
  },
});

/** The bodies have the conditions that the packages of the box contribute. */
export const adminPromotions = standard.map((each) => {
  const { method } = each.declaration;
  const body = ({ post: 'Create', patch: 'Change' } as const)[method as 'post' | 'patch'];
  return body ? withOverrides(each, (box) => ({ body: promotionShapesOf(box)[body] })) : each;
});

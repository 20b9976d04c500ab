/**
 * Routes of promotions: codes of the cart, and promotions, codes and uses for staff.
 */
import { Cart, cartSchema } from '@carton/cart';
import { money, object, pageQuery, resource, route, tooManyRequests, Uuid, withOverrides } from '@carton/runtime';
import { applyCode, removeCode } from '../carts/service.ts';
import { createCodes, disableCode, exportCodes } from '../codes/service.ts';
import { listCodes, listUsages, promotions } from '../discounts/store.ts';
import {
  blockingProblems,
  promotionAutomatic,
  promotionCodeLimit,
  promotionCodeTaken,
  promotionCodeUnknown,
  promotionLimit,
} from '../problems.ts';
import {
  AppliedCodePath,
  ApplyPromotionCode,
  CreatedPromotionCodes,
  CreatePromotionCodes,
  PromotionCodePage,
  PromotionQuery,
  PromotionUsagePage,
  promotionShapes,
  promotionShapesOf,
} from './schemas.ts';
import { changePromotion, createPromotion, deletePromotion } from './service.ts';

const tag = 'Promotions';

export const applyPromotionCode = withOverrides(
  route(
    {
      method: 'post',
      path: '/cart/promotions',
      operationId: 'applyPromotionCode',
      tag: 'Cart',
      summary: 'Apply a promotion code to the cart',
      description:
        'A code whose conditions the cart does not meet yet is accepted: `promotions` of the cart tells why it does not apply.',
      access: 'session',
      idempotent: true,
      // Limits guessing at addresses that clients share; `applyCode` counts the guesses of each.
      rateLimit: 'login',
      body: ApplyPromotionCode,
      status: 201,
      response: Cart,
      location: '/cart',
      problems: [promotionCodeUnknown, promotionCodeLimit, tooManyRequests, ...Object.values(blockingProblems)],
    },
    ({ body, ...shopper }) => applyCode(shopper, body.code),
  ),
  (box) => ({ response: cartSchema(box) }),
);

export const removePromotionCode = route(
  {
    method: 'delete',
    path: '/cart/promotions/:code',
    operationId: 'removePromotionCode',
    tag: 'Cart',
    summary: 'Remove a promotion code from the cart',
    access: 'session',
    params: AppliedCodePath,
    status: 204,
  },
  ({ db, session, params }) => removeCode(db, session, params.code),
);

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

const ofPromotion = '/admin/promotions/:id';

export const listPromotionCodes = route(
  {
    method: 'get',
    path: `${ofPromotion}/codes`,
    operationId: 'listPromotionCodes',
    tag,
    summary: 'List the codes of a promotion, newest first',
    access: 'staff',
    query: pageQuery(),
    status: 200,
    response: PromotionCodePage,
  },
  async ({ db, params, query }) => {
    await promotions.require(db, params.id);
    return listCodes(db, query, { promotionId: params.id });
  },
);

export const createPromotionCodes = route(
  {
    method: 'post',
    path: `${ofPromotion}/codes`,
    operationId: 'createPromotionCodes',
    tag,
    summary: 'Add codes to a promotion, or generate them',
    access: 'staff',
    idempotent: true,
    body: CreatePromotionCodes,
    status: 201,
    response: CreatedPromotionCodes,
    location: '/admin/promotions/:id/codes',
    problems: [promotionAutomatic, promotionCodeTaken],
  },
  async ({ db, params, body }) => ({ codes: await createCodes(db, params.id, body) }),
);

export const exportPromotionCodes = route(
  {
    method: 'get',
    path: `${ofPromotion}/codes/export`,
    beyond: true,
    operationId: 'exportPromotionCodes',
    tag,
    summary: 'Export the codes of a promotion as CSV',
    access: 'staff',
    status: 200,
    mediaType: 'text/csv; charset=utf-8',
    streamed: true,
  },
  ({ db, params }) => exportCodes(db, params.id),
);

export const disablePromotionCode = route(
  {
    method: 'delete',
    path: `${ofPromotion}/codes/:codeId`,
    operationId: 'disablePromotionCode',
    tag,
    summary: 'Disable a code',
    access: 'staff',
    params: object({ id: Uuid, codeId: Uuid }),
    status: 204,
  },
  ({ db, params }) => disableCode(db, params.id, params.codeId),
);

export const listPromotionUsage = route(
  {
    method: 'get',
    path: `${ofPromotion}/usage`,
    operationId: 'listPromotionUsage',
    tag,
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

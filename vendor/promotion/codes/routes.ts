/**
 * Routes of the codes of a promotion for staff.
 */
import { object, pageQuery, route, Uuid } from '@carton/runtime';
import { promotionAutomatic, promotionCodeTaken } from '../problems.ts';
import { promotions } from '../promotions/store.ts';
import { CreatedPromotionCodes, CreatePromotionCodes, PromotionCodePage } from './schemas.ts';
import { createCodes, disableCode, exportCodes } from './service.ts';
import { listCodes } from './store.ts';

const tag = 'Promotions';
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

/**
 * Routes of the codes of a shopper's cart.
 */
import { Cart, cartSchema } from '@carton/cart';
import { route, tooManyRequests, withOverrides } from '@carton/runtime';
import { blockingProblems, promotionCodeLimit, promotionCodeUnknown } from '../problems.ts';
import { AppliedCodePath, ApplyPromotionCode } from './schemas.ts';
import { applyCode, removeCode } from './service.ts';

const tag = 'Cart';

export const applyPromotionCode = withOverrides(
  route(
    {
      method: 'post',
      path: '/cart/promotions',
      operationId: 'applyPromotionCode',
      tag,
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
    tag,
    summary: 'Remove a promotion code from the cart',
    access: 'session',
    params: AppliedCodePath,
    status: 204,
  },
  ({ db, session, params }) => removeCode(db, session, params.code),
);

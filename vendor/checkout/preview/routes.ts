/**
 * The preview of the order of a cart.
 */
import { route, withOverrides } from '@carton/runtime';
import { requirementCodesIn } from '../placing/requirements.ts';
import { CheckoutPreview, CheckoutPreviewQuery, checkoutPreviewOf } from '../schemas.ts';
import { etagPrefixOf } from './offer.ts';
import { previewCheckout } from './service.ts';

const tag = 'Checkout';

export const readCheckout = withOverrides(
  route(
    {
      method: 'get',
      path: '/checkout',
      operationId: 'readCheckout',
      tag,
      summary: 'Preview the order: totals and unmet requirements',
      access: 'session',
      query: CheckoutPreviewQuery,
      status: 200,
      response: CheckoutPreview,
      etagPrefix: etagPrefixOf,
    },
    ({ db, session, query, client }) => previewCheckout(db, session, query, client),
  ),
  (box) => ({ response: checkoutPreviewOf(box, requirementCodesIn(box)) }),
);

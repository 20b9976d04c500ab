/**
 * @carton/promotion: discounts on goods and shipping, automatic or by code.
 */
import { cartCleanUps, cartMerges, cartTotals } from '@carton/cart';
import { orderPlacing } from '@carton/checkout';
import { orderCancelers } from '@carton/order';
import { definePackage, emailProofs, personalData } from '@carton/runtime';
import { codesCleanUp, moveCodes } from './cart-codes.ts';
import { moveUses } from './claims.ts';
import { promotionUpdated, promotionUsed } from './events.ts';
import { personalUses } from './persons.ts';
import { promotionPlacing, returnUses } from './placing.ts';
import {
  adminPromotions,
  applyPromotionCode,
  createPromotionCodes,
  disablePromotionCode,
  exportPromotionCodes,
  listPromotionCodes,
  listPromotionUsage,
  removePromotionCode,
} from './routes.ts';
import { freeShippingStep, promotionsStep } from './step.ts';

export default definePackage({
  routes: [
    applyPromotionCode,
    removePromotionCode,
    ...adminPromotions,
    listPromotionCodes,
    createPromotionCodes,
    exportPromotionCodes,
    disablePromotionCode,
    listPromotionUsage,
  ],
  events: [promotionUpdated, promotionUsed],
  extends: [
    cartTotals.with(promotionsStep),
    cartTotals.with(freeShippingStep),
    cartMerges.with(moveCodes),
    cartCleanUps.with(codesCleanUp),
    orderPlacing.with(promotionPlacing),
    orderCancelers.with(returnUses),
    emailProofs.with(moveUses),
    personalData.with(personalUses),
  ],
});

/**
 * @carton/promotion: discounts on goods and shipping, automatic or by code.
 */
import { cartCleanUps, cartMerges, cartTotals } from '@carton/cart';
import { orderPlacing } from '@carton/checkout';
import { orderCancelers } from '@carton/order';
import { definePackage, emailProofs, personalData } from '@carton/runtime';
import { applyPromotionCode, removePromotionCode } from './carts/routes.ts';
import { deleteCodesOf, moveCodes } from './carts/store.ts';
import {
  createPromotionCodes,
  disablePromotionCode,
  exportPromotionCodes,
  listPromotionCodes,
} from './codes/routes.ts';
import { promotionsStep, shippingDiscountsStep } from './discounts/step.ts';
import { promotionEvents, promotionUsed } from './events.ts';
import { adminPromotions } from './promotions/routes.ts';
import { moveUses } from './uses/guests.ts';
import { personalUses } from './uses/persons.ts';
import { promotionPlacing, returnUses } from './uses/placing.ts';
import { listPromotionUsage } from './uses/routes.ts';

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
  events: [...Object.values(promotionEvents), promotionUsed],
  extends: [
    cartTotals.with(promotionsStep),
    cartTotals.with(shippingDiscountsStep),
    cartMerges.with(moveCodes),
    cartCleanUps.with({ remove: deleteCodesOf }),
    orderPlacing.with(promotionPlacing),
    orderCancelers.with(returnUses),
    emailProofs.with(moveUses),
    personalData.with(personalUses),
  ],
});

/**
 * @carton/cart: carts, their totals, and the hand-over to checkout.
 */
import { storeSettingsGroups } from '@carton/core';
import { shopperTerms } from '@carton/product';
import { regionRemovals } from '@carton/region';
import { definePackage, memberLogIns, personalData, sessionData } from '@carton/runtime';
import { listAdminCarts, readAdminCart } from './admin/routes.ts';
import { emptyCart, readCart, setCartBillingAddress, setCartShippingAddress, updateCart } from './details/routes.ts';
import { cartCreated, cartMerged, cartUpdated } from './events.ts';
import { cartRetention, deleteOldCarts } from './guests/old-carts.ts';
import { cartsOfSessions } from './guests/sessions.ts';
import { addCartItem, removeCartItem, replaceCartItems, updateCartItem } from './items/routes.ts';
import { ownerOf } from './owner-store.ts';
import { mergeCartAtLogIn, personalCarts } from './persons.ts';
import { cartSettings } from './pricing/settings.ts';
import { clearRegion } from './store.ts';
import { findPriceTerms } from './terms-store.ts';

export { cartCreated, cartMerged, cartUpdated } from './events.ts';
export { type CartMerge, cartMerges, mergeCarts, type ReturnableCarts, returnableCarts } from './guests/merging.ts';
export { type CartCleanUp, cartCleanUps } from './guests/old-carts.ts';
export { cartSessionMoves } from './guests/sessions.ts';
export type { LineProperties } from './items/properties.ts';
export { type ReturnedCart, returnToCart } from './orders/returning.ts';
export { completeCart, findLastOrderOfSession, type LockedCart, lockActiveCart } from './orders/service.ts';
export { ownerOf } from './owner-store.ts';
export { type PriceableCart, saleOfCart } from './pricing/cart.ts';
export { type CartProblem, cartProblems, fieldProblems } from './pricing/issues.ts';
export { type MissingQuoteOfStep, runTotals } from './pricing/pipeline.ts';
export {
  type CustomLine,
  countryOf,
  type Sale,
  type SaleAddress,
  type SaleLine,
  saleAddressOf,
  stockSaleOf,
  type VariantLine,
} from './pricing/sale.ts';
export {
  type Issue,
  type PricedCart,
  type PricedCustomLine,
  type PricedLine,
  type PricedSale,
  type PriceOptions,
  priceCart,
  priceSale,
} from './pricing/service.ts';
export {
  type Adjustment,
  type AdjustmentKind,
  asksServices,
  type CartIssue,
  cartTotals,
  choicesSchema,
  type LineFacts,
  type MissingQuote,
  type ShippingCharge,
  type ShownInCart,
  type Totals,
  type TotalsDraft,
  type TotalsLine,
  type TotalsStep,
  totalsOrder,
  totalsStep,
} from './pricing/totals.ts';
export { countryNotServed } from './problems.ts';
export { type DemandQuotes, retryWithQuotes, withQuotes } from './quotes/service.ts';
export {
  digestOf,
  type QuotedAddress,
  type QuoteKey,
  quotedAddressOf,
  quoteStore,
  type StoredQuote,
  saleKeyOf,
} from './quotes/store.ts';
export { Cart, CartAddress } from './schemas.ts';
export { type CartChange, findPricedCart, presentQuoted, writeCart, writeExistingCart } from './service.ts';
export { cartSchema } from './shown.ts';
export { type CartLine, findActiveCart, findCart, type StoredCart, setPickupAddress } from './store.ts';
export { findPriceTerms, type PriceTerms } from './terms-store.ts';
export { presentCart, presentEmptyCart, presentTotals } from './view.ts';

export default definePackage({
  routes: [
    readCart,
    updateCart,
    emptyCart,
    addCartItem,
    replaceCartItems,
    updateCartItem,
    removeCartItem,
    setCartShippingAddress,
    setCartBillingAddress,
    listAdminCarts,
    readAdminCart,
  ],
  events: [cartCreated, cartUpdated, cartMerged],
  jobs: [deleteOldCarts],
  settings: cartRetention,
  extends: [
    storeSettingsGroups.with(cartSettings),
    regionRemovals.with(clearRegion),
    shopperTerms.with((db, shopper) => findPriceTerms(db, ownerOf(shopper))),
    sessionData.with(cartsOfSessions),
    memberLogIns.with(mergeCartAtLogIn),
    personalData.with(personalCarts),
  ],
});

/**
 * @carton/cart: carts, their totals, and the hand-over to checkout.
 */
import { storeSettingsGroups } from '@carton/core';
import { shopperTerms } from '@carton/product';
import { regionRemovals } from '@carton/region';
import { definePackage, memberLogIns, personalData, sessionData } from '@carton/runtime';
import { cartCreated, cartMerged, cartUpdated } from './events.ts';
import { cartRetention, deleteOldCarts } from './old-carts.ts';
import { ownerOf } from './owner.ts';
import { mergeCartAtLogIn, personalCarts } from './persons.ts';
import { listAdminCarts, readAdminCart } from './routes/admin.ts';
import { emptyCart, readCart, setCartBillingAddress, setCartShippingAddress, updateCart } from './routes/cart.ts';
import { addCartItem, removeCartItem, replaceCartItems, updateCartItem } from './routes/items.ts';
import { cartsOfSessions } from './session-data.ts';
import { cartSettings } from './settings.ts';
import { clearRegion } from './store.ts';
import { findPriceTerms } from './terms-store.ts';

export { type PriceableCart, saleOfCart } from './cart-sale.ts';
export { completeCart, findLastOrderOfSession, type LockedCart, lockActiveCart } from './completion.ts';
export { cartCreated, cartMerged, cartUpdated } from './events.ts';
export { type CartProblem, cartProblems, fieldProblems } from './issues.ts';
export { type CartMerge, cartMerges, mergeCarts, type ReturnableCarts, returnableCarts } from './merge.ts';
export { type CartCleanUp, cartCleanUps } from './old-carts.ts';
export { ownerOf } from './owner.ts';
export { type MissingQuoteOfStep, runTotals } from './pipeline.ts';
export {
  type Issue,
  type PricedCart,
  type PricedCustomLine,
  type PricedLine,
  type PricedSale,
  type PriceOptions,
  priceCart,
  priceSale,
} from './pricing.ts';
export { countryNotServed } from './problems.ts';
export type { LineProperties } from './properties.ts';
export { type DemandQuotes, retryWithQuotes, withQuotes } from './quotes.ts';
export { type ReturnedCart, returnToCart } from './returning.ts';
export {
  type CustomLine,
  countryOf,
  type Sale,
  type SaleAddress,
  type SaleLine,
  saleAddressOf,
  stockSaleOf,
  type VariantLine,
} from './sale.ts';
export { Cart, CartAddress } from './schemas.ts';
export { type CartChange, findPricedCart, presentQuoted, writeCart, writeExistingCart } from './service.ts';
export { cartSessionMoves } from './session-data.ts';
export { cartSchema } from './shown.ts';
export { type CartLine, findActiveCart, findCart, type StoredCart, setPickupAddress } from './store.ts';
export {
  digestOf,
  type QuotedAddress,
  type QuoteKey,
  quotedAddressOf,
  quoteStore,
  type StoredQuote,
  saleKeyOf,
} from './stored-quotes.ts';
export { findPriceTerms, type PriceTerms } from './terms-store.ts';
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
} from './totals.ts';
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

/**
 * @carton/cart: carts, their totals, and the hand-over to checkout.
 */
import { storeSettingsGroups } from '@carton/core';
import { shopperTerms } from '@carton/product';
import { regionRemovals } from '@carton/region';
import { definePackage, memberLogIns, personalData, sessionData } from '@carton/runtime';
import { listAdminCarts, readAdminCart } from './admin/routes.ts';
import { readCart, setCartBillingAddress, setCartShippingAddress, updateCart } from './details/routes.ts';
import { cartCreated, cartMerged, cartUpdated } from './events.ts';
import { mergeCartAtLogIn } from './guests/merging.ts';
import { cartRetention, deleteOldCarts } from './guests/old-carts.ts';
import { cartsOfSessions } from './guests/sessions.ts';
import { addCartItem, emptyCart, removeCartItem, replaceCartItems, updateCartItem } from './items/routes.ts';
import { ownerOf } from './owner-store.ts';
import { personalCarts } from './persons.ts';
import { cartSettings } from './pricing/settings.ts';
import { clearRegion } from './store.ts';
import { findPriceTerms } from './terms-store.ts';

export { type CartChange, type ChangeById, writeCart, writeExistingCart } from './changes/service.ts';
export { setPickupAddress } from './details/store.ts';
export { cartCreated, cartMerged, cartUpdated } from './events.ts';
export { type CartMerge, cartMerges, type ReturnableCarts, returnableCarts } from './guests/merging.ts';
export { cartSessionMoves } from './guests/sessions.ts';
export { type CartCleanUp, cartCleanUps } from './items/clean-ups.ts';
export { type ReturnedCart, returnToCart } from './orders/returning.ts';
export { completeCart, type LockedCart, lockActiveCart } from './orders/service.ts';
export { findLastOrderOfSession } from './orders/store.ts';
export { ownerOf } from './owner-store.ts';
export type { BuyerTax, TaxExemption, TaxNumberCheck } from './pricing/buyer-tax.ts';
export { type PriceableCart, type PricedCart, type PriceOptions, priceCart, saleOfCart } from './pricing/cart.ts';
export { type CartProblem, cartProblems, fieldProblems } from './pricing/issues.ts';
export { type MissingQuoteOfStep, runTotals } from './pricing/pipeline.ts';
export type { LineProperties } from './pricing/sale.ts';
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
export { type Issue, type PricedCustomLine, type PricedLine, type PricedSale, priceSale } from './pricing/service.ts';
export {
  type Adjustment,
  type AdjustmentKind,
  asksServices,
  type CartIssue,
  cartTotals,
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
export { type Asker, type CartShopper, guardTaxNumber } from './quotes/asker.ts';
export { digestOf, type QuotedAddress, quotedAddressOf, saleKeyOf } from './quotes/keys.ts';
export { type DemandQuotes, retryWithQuotes, withQuotes } from './quotes/service.ts';
export { type QuoteKey, quoteStore, type StoredQuote } from './quotes/store.ts';
export { Cart, CartAddress, cartSchema } from './schemas.ts';
export { findPricedCart, presentQuoted } from './service.ts';
export { type CartLine, findActiveCart, findCart, type StoredCart } from './store.ts';
export { findPriceTerms, type PriceTerms } from './terms-store.ts';
export { presentCart, presentEmptyCart } from './view.ts';

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

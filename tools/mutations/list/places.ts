/**
 * Mutations of the rules of places: the region, currency and country of carts and orders.
 */
import type { Mutation } from '../mutation.ts';

export const places: readonly Mutation[] = [
  {
    rule: 'A cart without a chosen region has that of its shipping address',
    file: 'vendor/cart/terms-store.ts',
    text: "addresses.cart_id = carts.id and addresses.type = 'shipping')",
    replacement: "addresses.cart_id = carts.id and addresses.type = 'billing')",
    tests: ['vendor/cart/test/region-of-cart.test.ts'],
  },
  {
    rule: 'An address sent with the order chooses the region of an order',
    file: 'vendor/cart/completion.ts',
    text: 'lockSnapshotCart(tx, owner, country)',
    replacement: 'lockSnapshotCart(tx, owner)',
    tests: ['vendor/cart/test/region-of-cart.test.ts'],
  },
  {
    rule: 'A region that was chosen stays',
    file: 'vendor/cart/terms-store.ts',
    text: 'coalesce($3::uuid, ',
    replacement: 'coalesce(nullif($3::uuid, $3::uuid), ',
    tests: ['vendor/cart/test/region-of-cart.test.ts'],
  },
  {
    rule: 'Another currency than the shopper has seen is an issue of the cart',
    file: 'vendor/cart/pricing.ts',
    text: 'seenCurrency !== sale.currency && lines.length > 0',
    replacement: 'false',
    tests: ['vendor/cart/test/region-of-cart.test.ts'],
  },
  {
    rule: 'Who adds the first item accepts the currency of then',
    file: 'vendor/cart/service.ts',
    text: 'locked.isEmpty || acceptsCurrency ?',
    replacement: 'acceptsCurrency ?',
    tests: ['vendor/cart/test/region-of-cart.test.ts'],
  },
  {
    rule: 'No order is placed in a currency that the shopper has not seen',
    file: 'vendor/checkout/steps.ts',
    text: 'code !== currencyChanged.code || seenCurrency !== sale.sale.currency',
    replacement: 'code !== currencyChanged.code',
    tests: ['vendor/checkout/test/requirements.test.ts'],
  },
  {
    rule: 'A country is taxed in whatever form it is written',
    file: 'vendor/order/addresses.ts',
    text: 'country: countryCodeOf(country) ?? country',
    replacement: 'country',
    tests: ['vendor/tax/test/country.test.ts'],
  },
  {
    rule: 'No order has a country that is not recognised, where countries decide taxes or shipping',
    file: 'vendor/checkout/customer.ts',
    text: 'if (error && (await needsCountries(db)))',
    replacement: 'if (error && !db)',
    tests: ['vendor/tax/test/country.test.ts'],
  },
  {
    rule: 'An address without a country is taxed by that of the cart',
    file: 'vendor/cart/cart-sale.ts',
    text: 'country: shippingAddress?.country ?? country',
    replacement: 'country',
    tests: ['vendor/tax/test/country.test.ts'],
  },
  {
    rule: 'A sale without any other country is taxed by that of the store',
    file: 'vendor/region/sale-places.ts',
    text: "const ownCountry = countryOfStore('own_store');",
    replacement: "const ownCountry = 'null::text';",
    tests: ['vendor/tax/test/country.test.ts', 'vendor/shipping/test/carts.test.ts'],
  },
  {
    rule: 'A chosen country decides taxes until an address does',
    file: 'vendor/cart/sale.ts',
    text: 'return address?.country ?? country;',
    replacement: 'return address?.country ?? null;',
    tests: ['vendor/cart/test/region-of-cart.test.ts'],
  },
  {
    rule: 'An invoice divides shipping among equal rates as it was taxed',
    file: 'vendor/tax/compute.ts',
    text: '(one.key < other.key ? -1 : 1)',
    replacement: '0',
    tests: ['vendor/invoice/test/amounts.test.ts'],
  },
  {
    rule: 'Staff see that a store without a country does not tax sales without one',
    file: 'vendor/region/service.ts',
    text: 'country === null && dependsOnCountries(db)',
    replacement: 'false',
    tests: ['scripts/test/store-tasks.test.ts'],
  },
  {
    rule: 'Goods are not shipped free of charge because no option fits',
    file: 'vendor/shipping/placing.ts',
    text: 'if (read.options.length === 0) return [];',
    replacement: 'if (!undecided.some(isOffered)) return [];',
    tests: ['vendor/shipping/test/carts.test.ts'],
  },
  {
    rule: 'A blank detail of the customer is missing',
    file: 'vendor/order/addresses.ts',
    text: 'return text?.trim() || null;',
    replacement: 'return text ?? null;',
    tests: ['vendor/checkout/test/written-details.test.ts'],
  },
  {
    rule: 'Pages show a shopper the prices that the cart charges',
    file: 'vendor/product/extensions.ts',
    text: 'if (own && (currency ?? own.currency) === own.currency)',
    replacement: 'if (own && currency === own.currency)',
    tests: ['vendor/cart/test/shown-prices.test.ts'],
  },
];

/**
 * The fee of a payment method on an order without tax costs the same whenever the method is chosen: what a price contains of
 * tax is taken off it.
 */
import { createForSale } from '@carton/cart/testing';
import { bodyOf } from '@carton/runtime/testing';
import t from 'tap';
import { cartFor, email, french, openStore } from './businesses.ts';

const store = await openStore(t, { environment: { PAYMENT_ADAPTERS: 'manual' } });
const { box, lamp } = store;
const { staff } = box;
const [region] = (await bodyOf(staff.get('/admin/regions'))).items;
const eur = (amount: number) => [{ amount, currency: 'EUR' }];
for (const [code, rate] of [
  ['books', 5.5],
  ['parcels', 10],
] as const) {
  const { id: categoryId } = await bodyOf(staff.post('/admin/tax-categories', { code, name: code }));
  await bodyOf(staff.post('/admin/tax-rates', { code: 'vat', name: 'TVA', country: 'FR', rate, categoryId }));
}
const { variantId: book } = await createForSale(box, 777, { stock: 1000, product: { taxCategory: 'books' } });
const post = { code: 'post', name: 'Post', type: 'flat', rates: eur(487) };
const { id: optionId } = await bodyOf(staff.post('/admin/shipping-options', post));
const methods: { id: string; code: string }[] = (await bodyOf(staff.get('/admin/payment-methods'))).items;
const cash = methods.find(({ code }) => code === 'cash_on_delivery');
await bodyOf(staff.patch(`/admin/payment-methods/${cash?.id}`, { fees: eur(501) }));

async function shopperWith(items: string[], isShipped: boolean) {
  const { shopper } = await cartFor(store, french, { items });
  if (isShipped) await bodyOf(shopper.put('/cart/shipping-method', { optionId }));
  return shopper;
}
const paymentMethod = 'cash_on_delivery';
const customer = { email };

/** What an order costs, and its charges and discounts; those of goods first. */
async function costOf(id: string) {
  const { totals, balance, taxLines, taxExemption, adjustments } = await bodyOf(staff.get(`/admin/orders/${id}`));
  const shown = adjustments.map(({ code, label, kind, amount, source, shippingCode }: Record<string, unknown>) =>
    JSON.stringify([code, label, kind, amount, source, shippingCode]),
  );
  return { totals, balance, taxLines, taxExemption, adjustments: shown.sort() };
}

for (const [taxInclusive, shippingTaxInclusive] of [
  [true, null],
  [false, true],
  [true, false],
  [false, null],
]) {
  for (const shippingCategory of [null, 'parcels']) {
    const what = `goods ${taxInclusive}, charges ${shippingTaxInclusive}, ${shippingCategory ?? 'in proportion'}`;
    t.test(`taxes included, ${what}: the fee costs the same`, async (t) => {
      await bodyOf(staff.patch(`/admin/regions/${region.id}`, { taxInclusive, shippingTaxInclusive }));
      await bodyOf(staff.patch('/admin/store', { settings: { tax: { shippingCategory } } }));
      for (const items of [[lamp], [book], [lamp, book]]) {
        for (const isShipped of [true, false]) {
          // Nothing but another charge tells by which rates goods divide a charge whose prices contain no tax.
          const isKnown = taxInclusive || shippingCategory !== null || isShipped || items[0] === lamp;
          if (!isKnown || (items.length > 1 && !taxInclusive && !isShipped)) continue;
          const at = await shopperWith(items, isShipped);
          const { id } = await bodyOf(at.post('/checkout', { customer, paymentMethod }));
          const later = await shopperWith(items, isShipped);
          const placed = await bodyOf(later.post('/checkout', { customer }));
          await bodyOf(later.post(`/checkout/${placed.id}/payment-sessions`, { paymentMethod }));
          const cost = await costOf(id);
          t.equal(cost.taxExemption, 'intra_community');
          t.strictSame(await costOf(placed.id), cost, `${items.length} ${items[0] === book} ${isShipped}`);
        }
      }
    });
  }
}

t.test('without its method, the fee goes with what was taken off it', async (t) => {
  await bodyOf(staff.patch(`/admin/regions/${region.id}`, { taxInclusive: true, shippingTaxInclusive: null }));
  await bodyOf(staff.patch('/admin/store', { settings: { tax: { shippingCategory: null } } }));
  const shopper = await shopperWith([lamp], true);
  const { id } = await bodyOf(shopper.post('/checkout', { customer }));
  const before = await costOf(id);
  const choose = (method: string) =>
    bodyOf(shopper.post(`/checkout/${id}/payment-sessions`, { paymentMethod: method }));
  await choose(paymentMethod);
  const chosen = await costOf(id);
  // 5.01 contain 20 %: 0.84.
  t.equal(chosen.totals.total.amount, before.totals.total.amount + 501 - 84);
  const invoice = await bodyOf(staff.post(`/admin/orders/${id}/invoices`, {}));
  t.strictSame([invoice.totals.total.amount, invoice.totals.tax.amount], [chosen.totals.total.amount, 0]);
  await choose('bank_transfer');
  t.strictSame(await costOf(id), before);
});

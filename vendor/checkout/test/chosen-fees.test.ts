/**
 * An order that is placed with a payment method and one for which it is chosen afterwards cost the same, with the same
 * taxes, whatever the store's rules of tax are.
 */
import { createForSale, shopperWith } from '@carton/cart/testing';
import { bodyOf, type Caller, createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { buyer } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic', environment: { PAYMENT_ADAPTERS: 'manual' } });
const { staff } = box;
const eur = (amount: number) => ({ amount, currency: 'EUR' });

const { id: regionId } = await bodyOf(
  staff.post('/admin/regions', { name: 'All', currency: 'EUR', countries: ['DE', 'CA'] }),
);
const categoryOf = async (code: string) =>
  (await bodyOf(staff.post('/admin/tax-categories', { code, name: code }))).id as string;
const [books, parcels] = [await categoryOf('books'), await categoryOf('parcels')];
const rates = [
  { code: 'vat', rate: 19, country: 'DE' },
  { code: 'vat', rate: 7, country: 'DE', categoryId: books },
  { code: 'parcel', rate: 10.5, country: 'DE', categoryId: parcels },
  { code: 'gst', rate: 5, country: 'CA' },
  { code: 'qst', rate: 9.975, country: 'CA', province: 'QC', compound: true },
];
for (const rate of rates) await bodyOf(staff.post('/admin/tax-rates', { name: rate.code.toUpperCase(), ...rate }));
const article = (amount: number, taxCategory: string | null = null) =>
  createForSale(box, amount, { stock: 10_000, product: { taxCategory } });
const [mug, book, gift, leaflet] = [
  await article(1033),
  await article(777, 'books'),
  await article(0),
  await article(0, 'books'),
];
const post = { code: 'post', name: 'Post', type: 'flat', rates: [eur(487)] };
const { id: optionId } = await bodyOf(staff.post('/admin/shipping-options', post));
const methods: { id: string; code: string }[] = (await staff.get('/admin/payment-methods')).body.items;
const setFee = (code: string, fees: object[]) =>
  bodyOf(staff.patch(`/admin/payment-methods/${methods.find((each) => each.code === code)?.id}`, { fees }));
await setFee('cash_on_delivery', [eur(501)]);
await setFee('bank_transfer', [eur(299)]);

const carts = {
  'one rate': { country: 'DE', items: [[mug, 3]] },
  'two rates': {
    country: 'DE',
    items: [
      [mug, 1],
      [book, 3],
    ],
  },
  'free goods': {
    country: 'DE',
    items: [
      [gift, 2],
      [leaflet, 1],
    ],
  },
  'two taxes on one price': {
    country: 'CA',
    items: [
      [mug, 3],
      [book, 1],
    ],
  },
} as const;

async function cartOf({ country, items }: (typeof carts)[keyof typeof carts], isShipped: boolean) {
  const shopper = await shopperWith(box, ...items.map(([each, quantity]): [typeof each, number] => [each, quantity]));
  const address = { name: 'Ada', line1: '1 Main Street', city: 'Town', postalCode: '10115', country };
  await bodyOf(shopper.put('/cart/shipping-address', { ...address, province: country === 'CA' ? 'QC' : null }));
  if (isShipped) await bodyOf(shopper.put('/cart/shipping-method', { optionId }));
  return shopper;
}

type TaxLine = {
  itemId: string | null;
  shippingCode: string | null;
  code: string;
  rate: number;
  amount: { amount: number };
};

/** What an order costs: its totals, the sum of each tax, and the taxes of its charges. */
async function costOf(id: string) {
  const { totals, balance, taxLines, adjustments } = await bodyOf(staff.get(`/admin/orders/${id}`));
  const lines = taxLines as TaxLine[];
  const shown = ({ code, rate, amount }: TaxLine) => `${code} ${rate} % ${amount.amount}`;
  const sums = Map.groupBy(lines, ({ code, rate }) => `${code} ${rate} %`);
  return {
    totals,
    balance,
    sums: [...sums].map(([name, of]) => `${name} ${of.reduce((sum, { amount }) => sum + amount.amount, 0)}`).sort(),
    charges: adjustments.map(({ code, amount, source }: Record<string, unknown>) => ({ code, amount, source })),
    ofCharges: lines.flatMap((line) => (line.shippingCode ? `${line.shippingCode} ${shown(line)}` : [])),
  };
}

const placeWith = async (...[cart, isShipped, paymentMethod]: [...Parameters<typeof cartOf>, string?]) => {
  const shopper = await cartOf(cart, isShipped);
  const { id } = await bodyOf(shopper.post('/checkout', { ...buyer, ...(paymentMethod && { paymentMethod }) }));
  shoppers.set(id, shopper);
  return id as string;
};
/** Who placed an order, by its id. */
const shoppers = new Map<string, Caller>();
const choose = (id: string, paymentMethod: string) =>
  bodyOf((shoppers.get(id) as Caller).post(`/checkout/${id}/payment-sessions`, { paymentMethod }));

const rules = [
  { roundPer: 'line', rounding: 'half_up' },
  { roundPer: 'unit', rounding: 'down' },
  { roundPer: 'total', rounding: 'half_up' },
  { roundPer: 'line', rounding: 'half_up', roundTo: 5 },
  { roundPer: 'total', rounding: 'down' },
];
/** Whether goods, and charges with fees, contain their taxes. */
const modes = [
  { taxInclusive: false, shippingTaxInclusive: null },
  { taxInclusive: true, shippingTaxInclusive: null },
  { taxInclusive: false, shippingTaxInclusive: true },
  { taxInclusive: true, shippingTaxInclusive: false },
];
for (const mode of modes) {
  for (const shippingCategory of [null, 'parcels']) {
    for (const { roundPer, rounding, roundTo = 1 } of mode.shippingTaxInclusive === null ? rules : rules.slice(2, 3)) {
      const isWithin = (mode.shippingTaxInclusive ?? mode.taxInclusive) ? 'included' : 'on top';
      const rule = `${isWithin}, goods ${mode.taxInclusive ? 'included' : 'on top'}, ${shippingCategory ?? 'in proportion'}, ${roundPer} ${rounding}, total to ${roundTo}`;
      t.test(`taxes ${rule}: the fee costs the same whenever its method is chosen`, async (t) => {
        await bodyOf(staff.patch(`/admin/regions/${regionId}`, mode));
        await bodyOf(
          staff.patch('/admin/store', {
            settings: {
              tax: { shippingCategory, roundPer, rounding },
              payment: { rounding: [{ currency: 'EUR', to: roundTo, methods: null }] },
            },
          }),
        );
        for (const [name, cart] of Object.entries(carts)) {
          for (const isShipped of [true, false]) {
            // Without anything to pay there is no choice of a method.
            if (name === 'free goods' && !isShipped) continue;
            const atCheckout = await costOf(await placeWith(cart, isShipped, 'cash_on_delivery'));
            const later = await placeWith(cart, isShipped);
            const without = await costOf(later);
            const session = await choose(later, 'cash_on_delivery');
            const chosen = await costOf(later);
            const comparable = (cost: typeof chosen) => (roundPer !== 'total' ? cost : { ...cost, ofCharges: null });
            t.strictSame(
              comparable(chosen),
              comparable(atCheckout),
              `${name}, ${isShipped ? 'shipped' : 'without shipping'}`,
            );
            t.strictSame([session.total, session.amount], [atCheckout.totals.total, atCheckout.totals.total]);
            t.ok(
              atCheckout.totals.total.amount >= without.totals.total.amount + 501 - (roundTo - 1),
              'the fee is charged',
            );
            const other = await placeWith(cart, isShipped, 'bank_transfer');
            await choose(other, 'cash_on_delivery');
            t.strictSame((await costOf(other)).totals, atCheckout.totals, `${name}, after another method`);
          }
        }
      });
    }
  }
}

const refusal = (detail: RegExp) => ({ status: 409, body: { code: 'payment_method_unavailable', detail } });

t.test('only the shopper replaces a payment by hand with another', async (t) => {
  const id = await placeWith(carts['two rates'], true, 'cash_on_delivery');
  const before = await costOf(id);
  const send = (caller: Caller, paymentMethod: string) =>
    caller.post(`/checkout/${id}/payment-sessions`, { paymentMethod });
  for (const caller of [box.visitor(), await shopperWith(box, [mug, 1])]) {
    t.match(await send(caller, 'bank_transfer'), refusal(/Only the shopper who placed the order/));
  }
  t.match(await send(box.visitor(), 'cash_on_delivery'), { status: 201 }, 'the same method changes nothing');
  t.strictSame(await costOf(id), before);
  t.match(await send(shoppers.get(id) as Caller, 'bank_transfer'), { status: 201 });
});

t.test('goods on their way are paid on delivery', async (t) => {
  const id = await placeWith(carts['two rates'], true, 'cash_on_delivery');
  const before = await costOf(id);
  const { items } = await bodyOf(staff.get(`/admin/orders/${id}`));
  const lines = items.map((item: { id: string; quantity: number }) => ({
    lineItemId: item.id,
    quantity: item.quantity,
  }));
  const parcel = await bodyOf(staff.post(`/admin/orders/${id}/fulfillments`, { items: lines }));
  await bodyOf(staff.post(`/admin/fulfillments/${parcel.id}/ship`, {}));
  const shopper = shoppers.get(id) as Caller;
  t.match(
    await shopper.post(`/checkout/${id}/payment-sessions`, { paymentMethod: 'bank_transfer' }),
    refusal(/The order is being shipped/),
  );
  t.strictSame(await costOf(id), before);
});

t.test('the method changes so often only', async (t) => {
  const id = await placeWith(carts['two rates'], true);
  for (let change = 0; change < 6; change++) {
    for (const method of ['bank_transfer', 'cash_on_delivery']) await choose(id, method);
  }
  const shopper = shoppers.get(id) as Caller;
  t.match(
    await shopper.post(`/checkout/${id}/payment-sessions`, { paymentMethod: 'bank_transfer' }),
    refusal(/too often/),
  );
  t.match(await shopper.post(`/checkout/${id}/payment-sessions`, { paymentMethod: 'cash_on_delivery' }), {
    status: 201,
  });
});

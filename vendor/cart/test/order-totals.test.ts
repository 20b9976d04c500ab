/**
 * An order stores the adjustments of its cart: rates, sources, and the charges they apply to.
 */
import { shopperWith } from '@carton/cart/testing';
import { percentOf } from '@carton/runtime';
import { createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { type Adjustment, cartTotals, totalsOrder, totalsStep } from '../index.ts';
import { forSale } from './helpers.ts';

const steps = [
  totalsStep({
    name: 'shipping',
    order: totalsOrder.shipping,
    adjust: () => [{ code: 'post', label: 'Post', kind: 'shipping', amount: 490, source: { type: 'option', id: '7' } }],
  }),
  totalsStep({
    name: 'promotion',
    order: totalsOrder.shippingDiscount,
    adjust: () => [
      {
        code: 'HALF',
        label: 'Half the post',
        kind: 'discount',
        amount: -245,
        shippingCode: 'post',
        source: { type: 'campaign', id: 'half' },
      },
    ],
  }),
  totalsStep({
    name: 'tax',
    order: totalsOrder.tax,
    adjust({ lines, shipping }): Adjustment[] {
      const vat = { code: 'vat', label: 'VAT', kind: 'tax' as const, source: { type: 'tax_rate', id: 'fr' } };
      return [
        ...lines.map(({ id, discountedTotal }) => ({
          ...vat,
          rate: 8.875,
          amount: percentOf(discountedTotal, 8.875),
          lineId: id,
        })),
        ...shipping.map(({ code, discountedAmount }) => ({
          ...vat,
          rate: 20,
          amount: percentOf(discountedAmount, 20),
          shippingCode: code,
        })),
      ];
    },
  }),
];
const box = await createTestBox(t, { extends: steps.map((step) => cartTotals.with(step)) });

t.test('an order has the totals and adjustments of its cart', async (t) => {
  const shopper = await shopperWith(box, [await forSale(box, { price: 1000 }), 2]);
  const engraved = {
    variantId: (await forSale(box, { price: 999 })).variantId,
    quantity: 1,
    properties: { for: 'Ada' },
  };
  const cart = (await shopper.post('/cart/items', engraved)).body;
  const { status, body } = await shopper.post('/checkout', { customer: { email: 'ada@example.com' } });
  t.equal(status, 201);
  t.strictSame(body.totals, cart.totals);
  const [plain, special] = body.items;
  t.strictSame([plain.properties, special.properties], [{}, { for: 'Ada' }]);
  const withoutId = ({ id, amount, ...rest }: Record<string, unknown> & { amount: { amount: number } }) => ({
    ...rest,
    amount: amount.amount,
  });
  const asDiscounted = ({ charged: _, refunded: __, ...rest }: Parameters<typeof withoutId>[0]) =>
    withoutId(rest as never);
  t.strictSame(body.adjustments.map(asDiscounted), [
    {
      itemId: null,
      shippingCode: null,
      kind: 'shipping',
      code: 'post',
      label: 'Post',
      amount: 490,
      source: { type: 'option', id: '7' },
    },
    {
      itemId: null,
      shippingCode: 'post',
      kind: 'discount',
      code: 'HALF',
      label: 'Half the post',
      amount: -245,
      source: { type: 'campaign', id: 'half' },
    },
  ]);
  const vat = { code: 'vat', label: 'VAT', included: false, source: { type: 'tax_rate', id: 'fr' } };
  t.strictSame(body.taxLines.map(withoutId), [
    { ...vat, itemId: plain.id, shippingCode: null, rate: 8.875, amount: 178 },
    { ...vat, itemId: special.id, shippingCode: null, rate: 8.875, amount: 89 },
    { ...vat, itemId: null, shippingCode: 'post', rate: 20, amount: 49 },
  ]);
});

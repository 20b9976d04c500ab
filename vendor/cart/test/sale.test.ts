/**
 * Sales without a cart are priced by the same code: custom lines, agreed prices, their own choices.
 */
import { shopperWith } from '@carton/cart/testing';
import { newId } from '@carton/runtime';
import { createTestBox, exactly, packagesOfTier, shortName, writePackage } from '@carton/runtime/testing';
import t from 'tap';
import {
  findPricedCart,
  type PricedCart,
  priceSale,
  type Sale,
  type StoredCart,
  saleAddressOf,
  saleOfCart,
} from '../index.ts';
import { createRegion, forSale, sessionOf } from './helpers.ts';

const migration = `export const up = (knex) =>
  knex.raw(\`
    create table post_options (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      price bigint not null,
      primary key (tenant_id, id)
    );
    create table post_choices (
      tenant_id uuid not null,
      cart_id uuid not null,
      option_id uuid not null,
      primary key (tenant_id, cart_id),
      foreign key (tenant_id, option_id) references post_options (tenant_id, id)
    );
  \`);
export const down = (knex) => knex.raw('drop table post_choices, post_options');
`;
const index = `
import { cartTotals, totalsOrder, totalsStep } from '@carton/cart';
import { definePackage, object, percentOf, Uuid } from '@carton/runtime';

const chosen = \`
  select options.id, options.price from post_options options
   where options.tenant_id = $1
     and options.id = coalesce($2, (select option_id from post_choices where tenant_id = $1 and cart_id = $3))\`;

const post = totalsStep({
  name: 'post',
  order: totalsOrder.shipping,
  choice: object({ optionId: Uuid }),
  reads: (db, { cartId }, choice) => db.query(chosen, [choice?.optionId ?? null, cartId]),
  adjust: ({ lines }, [option]) =>
    option ? [{ code: 'post', label: lines[0].shippingProfile ? 'Post of ' + lines[0].shippingProfile : 'Post', kind: 'shipping', amount: option.price, source: { type: 'option', id: option.id } }] : [],
});

const rates = { reduced: 5 };
const tax = totalsStep({
  name: 'vat',
  order: totalsOrder.tax,
  adjust: ({ lines, region }) =>
    lines.map(({ id, discountedTotal, taxCategory }) => {
      const rate = rates[taxCategory] ?? 20;
      return { code: 'vat', label: 'VAT', kind: 'tax', rate, amount: percentOf(discountedTotal, rate), lineId: id };
    }),
});

export default definePackage({ routes: [], extends: [cartTotals.with(post), cartTotals.with(tax)] });
`;
const written = { name: 'post', dependencies: ['cart'], index, migration };
const box = await createTestBox(t, await writePackage(t, written, packagesOfTier('basic').map(shortName)));
const db = box.box.database.forTenant(box.id);
const [cheap, dear] = [newId(), newId()];
await db.insertMany('post_options', [
  { id: cheap, price: 300 },
  { id: dear, price: 900 },
]);
const shirt = await forSale(box, { price: 1000 });

const emptySale: Sale = {
  cartId: null,
  choices: {},
  currency: 'EUR',
  regionId: null,
  memberId: null,
  channelId: null,
  locale: null,
  email: null,
  shippingAddress: null,
  billingAddress: null,
  time: new Date(),
  lines: [],
};
const shirtLine = { variantId: shirt.variantId, quantity: 2, properties: {} };

t.test('a draft and a cart with the same lines and choices have the same totals', async (t) => {
  const shopper = await shopperWith(box, [shirt, 2]);
  const { id } = (await shopper.get('/cart')).body;
  await db.insert('post_choices', { cartId: id, optionId: cheap });
  const priced = (await findPricedCart(db, sessionOf(shopper))) as PricedCart<StoredCart>;
  const { lines } = priced.cart;
  const draft = await priceSale(db, { ...emptySale, lines, choices: { post: { optionId: cheap } } });
  t.strictSame([draft.totals, draft.adjustments], [priced.totals, priced.adjustments]);
  t.equal(draft.totals.total, 2000 + 300 + 400);
  t.match(
    draft.adjustments,
    exactly([
      { code: 'post', source: { type: 'option', id: cheap } },
      { code: 'vat', rate: 20 },
    ]),
  );
});

t.test("choices of the sale override the cart's", async (t) => {
  const shopper = await shopperWith(box, [shirt, 2]);
  const { cart } = (await findPricedCart(db, sessionOf(shopper))) as { cart: StoredCart };
  await db.insert('post_choices', { cartId: cart.id, optionId: cheap });
  const shippingOf = async (sale: Sale) => (await priceSale(db, sale)).totals.shipping;
  t.equal(await shippingOf(saleOfCart(cart)), 300);
  t.equal(await shippingOf({ ...saleOfCart(cart), choices: { post: { optionId: dear } } }), 900);
  t.equal(await shippingOf({ ...emptySale, lines: cart.lines }), 0, 'without a cart there is no stored choice');
});

t.test('unknown and malformed choices are rejected', async (t) => {
  const price = (choices: Sale['choices']) =>
    priceSale(db, { ...emptySale, lines: [{ ...shirtLine, id: 'a' }], choices });
  await t.rejects(price({ pigeon: {} }), { message: 'the choice of pigeon: there is nothing to choose' });
  await t.rejects(price({ vat: {} }), { message: 'the choice of vat: there is nothing to choose' });
  await t.rejects(price({ post: { optionId: 5 } }), {
    message: /the choice of post: .*optionId must be string/,
  });
});

t.test("a line of a variant has its product's tax category", async (t) => {
  const pamphlet = await forSale(box, { price: 2000 });
  await box.staff.patch(`/admin/products/${pamphlet.productId}`, { taxCategory: 'reduced' });
  const lines = [{ ...shirtLine, variantId: pamphlet.variantId, id: 'pamphlet' }];
  const { adjustments } = await priceSale(db, { ...emptySale, lines });
  t.match(adjustments, exactly([{ lineId: 'pamphlet', rate: 5 }]));
});

t.test("a line of a variant has its product's shipping profile", async (t) => {
  const sofa = await forSale(box, { price: 2000 });
  await box.staff.patch(`/admin/products/${sofa.productId}`, { shippingProfile: 'bulky' });
  const lines = [{ ...shirtLine, variantId: sofa.variantId, id: 'sofa' }];
  const { adjustments } = await priceSale(db, { ...emptySale, lines, choices: { post: { optionId: cheap } } });
  t.match(adjustments, exactly([{ code: 'post', label: 'Post of bulky' }, { code: 'vat' }]));
});

t.test('custom lines are priced and taxed like others and need no stock', async (t) => {
  const repair = { id: 'repair', variantId: null, title: 'Repair', quantity: 3, properties: {}, weight: null };
  const lines = [
    { ...shirtLine, id: 'shirts' },
    { ...repair, unitPrice: 499, taxCategory: 'reduced' },
  ];
  const { totals, lines: priced, adjustments } = await priceSale(db, { ...emptySale, lines });
  t.match(totals, { subtotal: 2000 + 1497, tax: 400 + 75, total: 3972 });
  t.match(
    priced,
    exactly([
      { variantId: shirt.variantId, unitPrice: 1000, issues: [] },
      { variantId: null, variant: null, title: 'Repair', total: 1497, issues: [] },
    ]),
  );
  t.strictSame(
    adjustments.map(({ lineId, rate }) => [lineId, rate]),
    [
      ['shirts', 20],
      ['repair', 5],
    ],
  );
  for (const unitPrice of [-1, 0.5, Number.NaN]) {
    const invalid = [{ ...repair, unitPrice, taxCategory: null }];
    await t.rejects(priceSale(db, { ...emptySale, lines: invalid }), {
      message: `the line repair of a sale has the price ${unitPrice}`,
    });
  }
});

t.test('an agreed price applies whatever the current price, even if the variant is no longer for sale', async (t) => {
  const old = await forSale(box, { price: 5000, stock: 1 });
  await box.staff.patch(`/admin/products/${old.productId}`, { status: 'archived' });
  const line = { id: 'a', variantId: old.variantId, quantity: 1, properties: {} };
  const price = async (unitPrice?: number) => {
    const { lines, totals } = await priceSale(db, { ...emptySale, lines: [{ ...line, unitPrice }] });
    return [lines[0]?.unitPrice, lines[0]?.issues, totals.subtotal];
  };
  t.strictSame(await price(), [null, ['unavailable'], 0]);
  t.strictSame(await price(4000), [4000, [], 4000]);
  t.strictSame(await price(0), [0, [], 0], 'a price of zero is a price');
});

t.test('saleAddressOf recognises the fields of an address object', async (t) => {
  const none = { country: null, province: null, postalCode: null };
  const empty = { ...none, city: null, line1: null };
  t.strictSame(saleAddressOf({ line1: ' 12 Rue', country: 'Atlantis', province: ' ' }), { ...empty, line1: '12 Rue' });
  t.strictSame(saleAddressOf({ country: 'Frankreich' }), { ...empty, country: 'FR' });
  t.strictSame(saleAddressOf({ country: ' fr ', postalCode: '69003', province: null }), {
    ...empty,
    country: 'FR',
    postalCode: '69003',
  });
});

t.test('a sale in a region can only be shipped to its countries', async (t) => {
  const regionId = await createRegion(box, 'EUR');
  await box.staff.patch(`/admin/regions/${regionId}`, { countries: ['FR'] });
  const issues = async (country: string | null) => {
    const shippingAddress = { country, province: null, postalCode: null };
    return (await priceSale(db, { ...emptySale, regionId, shippingAddress, lines: [{ ...shirtLine, id: 'a' }] }))
      .issues;
  };
  t.strictSame(await issues('FR'), []);
  t.strictSame(await issues('DE'), ['country_not_served']);
  t.strictSame(await issues(null), ['country_not_served'], 'the country must be known');
});

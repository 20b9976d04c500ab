/**
 * Lines of one variant with different properties stay separate when they are added, changed and merged.
 */

import { completeCart, lockActiveCart } from '@carton/cart';
import { shopperWith } from '@carton/cart/testing';
import { newId } from '@carton/runtime';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { mergeCarts } from '../guests/merging.ts';
import { forSale, openBox, sessionOf } from './helpers.ts';

const box = await openBox(t);
const [ring, hat] = [await forSale(box, { stock: 10_000 }), await forSale(box)];
const add = (shopper: ReturnType<typeof box.shopper>, properties: unknown, quantity = 1) =>
  shopper.post('/cart/items', { variantId: ring.variantId, quantity, properties });
interface Item {
  id: string;
  quantity: number;
  properties: Record<string, unknown>;
}
const linesOf = ({ items }: { items: Item[] }) => items.map(({ quantity, properties }) => [quantity, properties]);

t.test('equal properties share a line, different properties do not', async (t) => {
  const shopper = box.shopper();
  await add(shopper, { engraving: 'Ada', boxed: true });
  await add(shopper, undefined, 2);
  await add(shopper, { boxed: true, engraving: 'Ada' }, 3);
  await add(shopper, { engraving: 'Bob', boxed: true });
  await add(shopper, { engraving: 'Ada', boxed: 'true' });
  await add(shopper, {}, 4);
  // The same text in two Unicode normalization forms.
  await add(shopper, { engraving: 'Zoe\u0301' });
  const { body } = await add(shopper, { engraving: 'Zo\u00e9' });
  t.strictSame(linesOf(body), [
    [4, { boxed: true, engraving: 'Ada' }],
    [6, {}],
    [1, { boxed: true, engraving: 'Bob' }],
    [1, { boxed: 'true', engraving: 'Ada' }],
    [2, { engraving: 'Zo\u00e9' }],
  ]);
  t.strictSame((await shopper.get('/cart')).body, body);

  const [ada] = body.items as [Item];
  const changed = (await shopper.patch(`/cart/items/${ada.id}`, { quantity: 9 })).body;
  t.strictSame(linesOf(changed)[0], [9, ada.properties]);
  t.strictSame(linesOf(changed).slice(1), linesOf(body).slice(1), 'no other line changes');
  await shopper.delete(`/cart/items/${ada.id}`);
  t.strictSame(linesOf((await shopper.get('/cart')).body), linesOf(body).slice(1));
});

t.test('properties are limited in number and length, and hold only plain values', async (t) => {
  const shopper = box.shopper();
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`name ${index}`, 'x']));
  const invalid: unknown[] = [
    [],
    'engraving',
    null,
    { engraving: null },
    { engraving: { text: 'Ada' } },
    { engraving: ['Ada'] },
    { engraving: 'x'.repeat(501) },
    { '': 'x' },
    { ['x'.repeat(61)]: 'x' },
    { 'Zoe\u0301': 1, 'Zo\u00e9': 2 },
    many(21),
  ];
  for (const properties of invalid) {
    const answer = await add(shopper, properties);
    t.match(answer, { status: 400, body: { code: 'invalid_request' } }, JSON.stringify(properties).slice(0, 60));
  }
  t.equal((await add(shopper, { ...many(19), long: 'x'.repeat(500) })).status, 201);
});

t.test('a text is limited in the form in which it is stored', async (t) => {
  const shopper = box.shopper();
  // A letter that is three characters in the composed form (NFC).
  const letter = '\ufb2c';
  t.match(await add(shopper, { engraving: letter.repeat(167) }), {
    status: 400,
    body: { code: 'invalid_request', errors: exactly([{ pointer: '/properties' }]) },
  });
  const { status, body } = await add(shopper, { engraving: letter.repeat(166) });
  t.strictSame([status, body.items[0].properties.engraving.length], [201, 498]);
  t.strictSame((await shopper.get('/cart')).body, body, 'the cart shows it');
});

t.test('concurrent requests for the same new line create one line', async (t) => {
  const shopper = await shopperWith(box, [hat, 1]);
  const answers = await Promise.all(Array.from({ length: 6 }, () => add(shopper, { engraving: 'Race' })));
  t.ok(answers.every(({ status }) => status === 201));
  t.strictSame(linesOf((await shopper.get('/cart')).body).slice(1), [[6, { engraving: 'Race' }]]);
});

t.test('a checkout gets all lines of a variant', async (t) => {
  const shopper = box.shopper();
  await add(shopper, { engraving: 'Ada' });
  await add(shopper, { engraving: 'Bob' }, 2);
  await box.db.transaction(async (tx) => {
    const cart = await lockActiveCart(tx, sessionOf(shopper));
    if (cart?.state !== 'active') throw new Error('the cart is active');
    const lines = cart.lines.map(({ quantity, properties }) => [quantity, properties]);
    t.strictSame(new Set(lines.map((each) => JSON.stringify(each))).size, 2);
    t.strictSame(lines.toSorted(), [
      [1, { engraving: 'Ada' }],
      [2, { engraving: 'Bob' }],
    ]);
    await completeCart(tx, cart.id, newId());
  });
});

t.test('a log-in merges 65 lines of each cart and loses none', async (t) => {
  const memberId = newId();
  const fill = async (names: string[]) => {
    const shopper = box.shopper();
    for (const engraving of names) await add(shopper, { engraving }, 2);
    return shopper;
  };
  const names = (from: number) => Array.from({ length: 65 }, (_, index) => `name ${from + index}`);
  const [first, second] = [await fill(names(0)), await fill(names(40))];
  for (const guest of [first, second]) {
    await box.db.transaction((tx) => mergeCarts(tx, sessionOf(guest), memberId));
  }
  const lines = await box.db.query<{ name: string; quantity: number }>(
    `select lines.properties ->> 'engraving' as name, lines.quantity
       from cart_line_items lines join carts on carts.tenant_id = $1 and carts.id = lines.cart_id
      where lines.tenant_id = $1 and carts.member_id = $2`,
    [memberId],
  );
  const merged = new Map(lines.map(({ name, quantity }) => [name, quantity]));
  t.equal(lines.length, 105);
  const expected = Array.from({ length: 105 }, (_, at): [string, number] => [
    `name ${at}`,
    at >= 40 && at < 65 ? 4 : 2,
  ]);
  t.strictSame(merged, new Map(expected));
});

/**
 * The arithmetic of promotions, with examples computed by hand, and properties of random carts.
 */
import type { LineFacts, TotalsLine } from '@carton/cart';
import t from 'tap';
import { applyOffers, applyToCharges, makesSet, type Offer, offerIn } from '../discounts/compute.ts';

type Goods = readonly [id: string, unitPrice: number, quantity: number][];

function linesOf(goods: Goods): TotalsLine[] {
  return goods.map(([id, unitPrice, quantity]) => {
    const total = unitPrice * quantity;
    const own = {
      id,
      variantId: id,
      productId: id,
      taxCategory: null,
      properties: {},
      weight: null,
      shippingProfile: null,
    };
    return { ...own, quantity, unitPrice, total, discountedTotal: total };
  });
}

/** A condition holds for the lines whose ids its argument contains. */
const facts: LineFacts = { holds: ({ argument }, line) => String(argument).includes(line?.id ?? '-') };
const on = (ids: string) => [{ fact: 'line', argument: ids }];

type Appliance = Offer['rules']['appliesTo'];
const offer = (discount: Offer['discount'], lines?: string, appliesTo: Appliance = 'qualifying'): Offer => ({
  discount,
  rules: { conditions: lines === undefined ? [] : on(lines), appliesTo },
});
const percent = (value: number, ...rest: [string?, Appliance?]) => offer({ kind: 'percent', percent: value }, ...rest);
const percentWith = (value: number, more: object) => offer({ kind: 'percent', percent: value, ...more });
const perUnit = (amount: number, more: object = {}) => offer({ kind: 'fixed_per_unit', amount, ...more });
const units = (count: number, per: 'order' | 'line', first: 'cheapest' | 'dearest' = 'cheapest') => ({
  maxUnits: { count, per, first },
});
const fixed = (amount: number, ...rest: [string?, Appliance?]) => offer({ kind: 'fixed', amount }, ...rest);
const buyGet = (buyQuantity: number, getQuantity: number, { of = '', get = '', off = 100, max = 0 } = {}) =>
  offer(
    {
      ...{ kind: 'buy_x_get_y', buyQuantity, getQuantity, percent: off },
      getConditions: get === '' ? null : on(get),
      maxSets: max === 0 ? null : max,
    },
    of === '' ? undefined : of,
  );

/** The shares of each offer: `a 300` is 3.00 off the line a. */
function discounts(goods: Goods, ...offers: Offer[]): string[][] {
  const shares = applyOffers(offers, linesOf(goods), facts, ({ total }) => total);
  return shares.map((each) => each.map(({ lineId, amount }) => `${lineId} ${amount}`));
}

t.test('a percentage is rounded once and divided among the lines', async (t) => {
  // 15 % of 25.33 is 3.7995. The exact shares are 299.89, 75.16 and 4.95: the largest remainders are rounded up.
  const goods: Goods = [
    ['a', 1999, 1],
    ['b', 501, 1],
    ['c', 33, 1],
  ];
  t.strictSame(discounts(goods, percent(15)), [['a 300', 'b 75', 'c 5']]);
  t.strictSame(discounts(goods, percent(15, 'ac')), [['a 300', 'c 5']], '15 % of 20.32 is 3.048');
  t.strictSame(discounts(goods, percent(15, 'c', 'all')), [['a 300', 'b 75', 'c 5']], 'a line that qualifies for all');
  t.strictSame(discounts([['a', 5, 3]], percent(10)), [['a 2']], '10 % of 0.15 is 0.015, half up');
  t.strictSame(discounts([['a', 10_000, 1]], percent(33.33333)), [['a 3333']]);
  t.strictSame(discounts([['a', 1_000_000_000, 9999]], percent(0.00001)), [['a 999900']]);
});

t.test('a fixed amount is divided by largest remainder and never exceeds the goods', async (t) => {
  // 10.00 off 10.00, 20.00 and 30.00: 166.67, 333.33 and 500.
  const goods: Goods = [
    ['a', 1000, 1],
    ['b', 2000, 1],
    ['c', 3000, 1],
  ];
  t.strictSame(discounts(goods, fixed(1000)), [['a 167', 'b 333', 'c 500']]);
  t.strictSame(discounts(goods, fixed(1000, 'b')), [['b 1000']]);
  t.strictSame(discounts(goods, fixed(2500, 'b')), [['b 2000']], 'at most the lines it applies to');
  t.strictSame(discounts(goods, fixed(10_000)), [['a 1000', 'b 2000', 'c 3000']]);
  t.strictSame(discounts([['a', 0, 1]], fixed(1000)), [[]], 'nothing off nothing');
});

t.test('each promotion applies to what the earlier ones have left', async (t) => {
  const goods: Goods = [['a', 10_000, 1]];
  t.strictSame(discounts(goods, percent(10), percent(15)), [['a 1000'], ['a 1350']], '15 % of 90.00');
  t.strictSame(discounts(goods, percent(100), percent(15)), [['a 10000'], []]);
  t.strictSame(discounts(goods, percent(15), percent(100)), [['a 1500'], ['a 8500']]);
  t.strictSame(discounts(goods, fixed(9500), fixed(1000), percent(50)), [['a 9500'], ['a 500'], []]);
});

t.test('percentages side by side are of the prices, and take no more than is left', async (t) => {
  const goods: Goods = [['a', 10_000, 1]];
  const side = (value: number) => percentWith(value, { base: 'price' });
  t.strictSame(discounts(goods, side(10), side(15)), [['a 1000'], ['a 1500']], '25 % of 100.00');
  t.strictSame(discounts(goods, side(60), side(60)), [['a 6000'], ['a 4000']]);
  t.strictSame(discounts(goods, side(10), percent(15)), [['a 1000'], ['a 1350']], 'one after the other');
  const two: Goods = [
    ['a', 1000, 1],
    ['b', 1000, 1],
  ];
  // 50 % of 20.00 is 5.00 for each line, and nothing is left of one.
  t.strictSame(discounts(two, percent(100, 'a'), side(50)), [['a 1000'], ['b 500']]);
});

t.test('a percentage takes off at most an amount', async (t) => {
  const goods: Goods = [
    ['a', 10_000, 1],
    ['b', 20_000, 1],
  ];
  t.strictSame(discounts(goods, percentWith(10, { maxAmount: 2000 })), [['a 667', 'b 1333']], '30.00 is too much');
  t.strictSame(discounts(goods, percentWith(10, { maxAmount: 3000 })), [['a 1000', 'b 2000']]);
});

t.test('an amount off each unit is at most its price', async (t) => {
  const goods: Goods = [
    ['a', 1000, 3],
    ['b', 150, 2],
  ];
  t.strictSame(discounts(goods, perUnit(200)), [['a 600', 'b 300']]);
  t.strictSame(discounts(goods, percent(50), perUnit(400)), [['a 1500', 'b 150'], ['a 1200', 'b 150']]); // biome-ignore format: short
});

t.test('a discount has at most so many units of an order or a line', async (t) => {
  const goods: Goods = [
    ['a', 1000, 3],
    ['b', 400, 2],
    ['c', 1000, 1],
  ];
  t.strictSame(discounts(goods, percentWith(50, units(3, 'order'))), [['a 500', 'b 400']], 'two of b and one of a');
  t.strictSame(discounts(goods, percentWith(100, units(1, 'order', 'dearest'))), [['a 1000']], 'the dearest is free');
  t.strictSame(discounts(goods, percentWith(50, units(4, 'order', 'dearest'))), [['a 1500', 'c 500']]);
  t.strictSame(discounts(goods, percentWith(50, units(2, 'line'))), [['a 1000', 'b 400', 'c 500']]);
  t.strictSame(discounts(goods, perUnit(100, units(1, 'line'))), [['a 100', 'b 100', 'c 100']]);
  t.strictSame(
    discounts(goods, perUnit(100, units(9, 'order'))),
    [['a 300', 'b 200', 'c 100']],
    'no more than there are',
  );
  const free: Goods = [
    ['a', 0, 5],
    ['b', 400, 2],
  ];
  t.strictSame(discounts(free, percentWith(50, units(1, 'order'))), [['b 200']], 'what is free is not counted');
  const capped = { base: 'price', maxAmount: 500 };
  const two: Goods = [
    ['a', 1000, 1],
    ['b', 1000, 1],
  ];
  const limits = [{}, units(1, 'line'), units(9, 'line')];
  for (const limit of limits) {
    // Half of 5.00 is for the line of which nothing is left.
    t.strictSame(discounts(two, percent(100, 'a'), percentWith(50, { ...capped, ...limit })), [['a 1000'], ['b 250']]);
  }
  // A third of 10.00 is 3.33 or 3.34, and 33 % of it 1.10.
  t.strictSame(discounts([['a', 400, 3]], fixed(200), percentWith(33, units(1, 'order'))), [['a 200'], ['a 110']]);
});

t.test('promotions on shipping are taken off what earlier ones have left of all charges', async (t) => {
  const shipping = (discount: Offer['discount']) => offer(discount);
  const half = shipping({ kind: 'shipping_percent', percent: 50 });
  const five = shipping({ kind: 'shipping_fixed', amount: 500 });
  const free = shipping({ kind: 'free_shipping' });
  t.strictSame(applyToCharges([half, five], [990, 333]), [[495, 167], [374, 126]]); // biome-ignore format: short
  t.strictSame(applyToCharges([five, free, half], [300, 100]), [[300, 100], [0, 0], [0, 0]]); // biome-ignore format: short
  t.strictSame(applyToCharges([shipping({ kind: 'shipping_percent', percent: 50, maxAmount: 100 })], [990]), [[100]]);
  t.strictSame(applyToCharges([percent(100)], [990]), [[0]], 'one on goods takes nothing off shipping');
  t.strictSame(applyToCharges([half], []), [[]]);
  t.strictSame(discounts([['a', 1000, 1]], half, five, free), [[], [], []], 'nor those on shipping off goods');
});

t.test('amounts are those of the currency', async (t) => {
  const amounts = [
    { amount: 100, currency: 'EUR' },
    { amount: 20_000, currency: 'JPY' },
  ];
  const { rules } = percent(10);
  t.strictSame(offerIn('JPY', { discount: { kind: 'shipping_fixed', amounts }, rules }).discount, {
    ...{ kind: 'shipping_fixed', amounts, amount: 20_000 },
  });
  t.match(offerIn('EUR', { discount: { kind: 'percent', percent: 10, maxAmounts: amounts }, rules }).discount, {
    maxAmount: 100,
  });
});

t.test('the cheapest units of a set are free', async (t) => {
  t.strictSame(discounts([['a', 1000, 2]], buyGet(2, 1)), [[]], 'an incomplete set');
  t.strictSame(discounts([['a', 1000, 3]], buyGet(2, 1)), [['a 1000']]);
  t.strictSame(discounts([['a', 1000, 3]], buyGet(2, 1, { off: 50 })), [['a 500']]);
  const goods: Goods = [
    ['a', 1000, 3],
    ['b', 400, 3],
  ];
  t.strictSame(discounts(goods, buyGet(2, 1)), [['b 800']], 'six units are two sets');
  t.strictSame(discounts(goods, buyGet(2, 1, { max: 1 })), [['b 400']]);
  t.strictSame(discounts(goods, buyGet(1, 1)), [['b 1200']], 'three sets');
  t.strictSame(discounts(goods, buyGet(1, 2)), [['b 1200', 'a 1000']], 'two sets: four units');
});

t.test('units to buy and units to get can differ', async (t) => {
  const goods: Goods = [
    ['a', 5000, 2],
    ['b', 1000, 3],
  ];
  const sockOff = buyGet(1, 1, { of: 'a', get: 'b', off: 50 });
  t.strictSame(discounts(goods, sockOff), [['b 1000']], 'two socks at half price');
  t.strictSame(discounts([['b', 1000, 3]], sockOff), [[]]);
  t.strictSame(discounts([['a', 5000, 3]], sockOff), [[]]);
  // Buying a or b and getting b: of one a and three b, a and one b are bought and two b are free.
  const overlapping = buyGet(1, 1, { of: 'ab', get: 'b' });
  t.strictSame(discounts([['a', 5000, 1], ['b', 1000, 3]], overlapping), [['b 2000']]); // biome-ignore format: short
  t.strictSame(discounts([['b', 1000, 2]], overlapping), [['b 1000']]);
  t.strictSame(discounts([['b', 1000, 1]], overlapping), [[]], 'a unit does not pay for itself');
  const three: Goods = [
    ['a', 5000, 1],
    ['b', 100, 1],
    ['c', 200, 1],
  ];
  t.strictSame(
    discounts(three, buyGet(2, 1, { of: 'ab', get: 'bc' })),
    [['c 200']],
    'b is needed as the second to buy',
  );
  t.strictSame(discounts([['a', 500, 1], ['b', 1000, 1]], buyGet(1, 1, { of: 'ab', get: 'ab' })), [['a 500']]); // biome-ignore format: short
});

t.test('no unit is used twice, across promotions too', async (t) => {
  t.strictSame(discounts([['a', 1000, 2]], buyGet(1, 1), buyGet(1, 1)), [['a 1000'], []]);
  t.strictSame(discounts([['a', 1000, 4]], buyGet(1, 1, { max: 1 }), buyGet(1, 1)), [['a 1000'], ['a 1000']]);
  t.strictSame(discounts([['a', 1000, 5]], buyGet(2, 1), buyGet(1, 1)), [['a 1000'], ['a 1000']], '3 and 2 of 5 units');
  const goods: Goods = [
    ['a', 5000, 1],
    ['b', 1000, 1],
  ];
  // a was bought for b, so that it cannot be had for another b.
  t.strictSame(discounts(goods, buyGet(1, 1, { of: 'a', get: 'b' }), buyGet(1, 1)), [['b 1000'], []]);
});

t.test('a free unit is free of what is left of its price', async (t) => {
  t.strictSame(discounts([['a', 1000, 3]], percent(10), buyGet(2, 1)), [['a 300'], ['a 900']]);
  t.strictSame(discounts([['a', 1000, 3]], percent(100), buyGet(2, 1)), [['a 3000'], []]);
  t.strictSame(discounts([['a', 1000, 3]], buyGet(2, 1), percent(10)), [['a 1000'], ['a 200']]);
});

t.test('makesSet tells whether all units together make a set', async (t) => {
  const makes = (goods: Goods, each: Offer) => makesSet(each, linesOf(goods), facts);
  t.equal(makes([['a', 1000, 2]], buyGet(2, 1)), false);
  t.equal(makes([['a', 1000, 3]], buyGet(2, 1)), true);
  t.equal(makes([['a', 1000, 1]], percent(5)), true);
});

/** A deterministic generator (mulberry32). */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

t.test('a variant that is divided into lines has no more discounted units than in one', async (t) => {
  const lines = linesOf([
    ['a', 5000, 2],
    ['b', 5000, 2],
    ['c', 5000, 2],
    ['d', 700, 3],
  ]).map((line) => ({ ...line, variantId: line.id === 'd' ? 'd' : 'shirt' }));
  const shares = (offered: Offer) =>
    applyOffers([offered], lines, facts, ({ total }) => total)[0]?.map(({ lineId, amount }) => `${lineId} ${amount}`);
  t.strictSame(shares(perUnit(1000, units(3, 'line'))), ['a 2000', 'b 1000', 'd 2100']);
  t.strictSame(shares(percentWith(100, units(1, 'line'))), ['a 5000', 'd 700']);
  const custom = lines.map((line) => ({ ...line, variantId: null }));
  const [each = []] = applyOffers([perUnit(100, units(1, 'line'))], custom, facts, ({ total }) => total);
  t.equal(each.length, 4, 'lines without a variant count each');
});

t.test('no line is discounted below zero, and discounts are whole, in any combination', async (t) => {
  for (let seed = 1; seed <= 2000; seed++) {
    const random = randomOf(seed);
    const goods = Array.from({ length: 1 + random(5) }, (_, at): Goods[number] => [
      'abcde'[at] as string,
      random(4) === 0 ? random(3) : random(100_000),
      1 + random(6),
    ]);
    const some = () => ['abcde', 'ab', 'bcd', 'e'][random(4)] as string;
    const offers = Array.from({ length: 1 + random(5) }, () => {
      const kind = random(5);
      const most = random(2)
        ? units(1 + random(4), random(2) ? 'order' : 'line', random(2) ? 'cheapest' : 'dearest')
        : {};
      if (kind === 3) return perUnit(random(2000), most);
      if (kind === 4) return percentWith(1 + random(100), { ...most, base: random(2) ? 'price' : 'left' });
      if (kind === 0) return percent((1 + random(10_000_000)) / 100_000, some());
      if (kind === 1) return fixed(random(200_000), some());
      return buyGet(1 + random(3), 1 + random(3), { of: some(), get: random(2) ? some() : '', off: 1 + random(100) });
    });
    const lines = linesOf(goods);
    const left = new Map(lines.map(({ id, total }) => [id, total]));
    for (const { lineId, amount } of applyOffers(offers, lines, facts, ({ total }) => total).flat()) {
      if (!Number.isSafeInteger(amount) || amount <= 0) t.fail(`seed ${seed}: a discount of ${amount}`);
      left.set(lineId, (left.get(lineId) as number) - amount);
    }
    const below = [...left].filter(([, amount]) => amount < 0);
    if (below.length > 0) t.fail(`seed ${seed}: ${JSON.stringify(below)}`);
  }
  t.pass('2000 carts');
});

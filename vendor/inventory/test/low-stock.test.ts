/**
 * The column `low` always matches the levels of the item, whatever moves its stock, at any location and concurrently.
 */

import { newId, type TenantDatabase } from '@carton/runtime';
import { openDatabase } from '@carton/runtime/service';
import { createTestBox, until } from '@carton/runtime/testing';
import t from 'tap';
import {
  defaultLocation,
  openStockLevels,
  releaseStock,
  reserveStock,
  returnStock,
  type StockReference,
  takeStock,
} from '../index.ts';
import { releaseExpiredReservations } from '../reservations/service.ts';
import { adjust, codeOf, createStockedVariant, type StockedVariant } from './helpers.ts';
import { warehousePackage } from './warehouse-package.ts';

const packages = ['core', 'auth', 'tenant', 'product', 'inventory'].map((name) => `@carton/${name}`);
const reference = (type: string) => ({ type, id: newId() });
const past = new Date(Date.now() - 1000);

const plain = await createTestBox(t, { packages, tier: 'basic' });
const spread = await createTestBox(t, await warehousePackage(t, ['tenant']));
const createWarehouse = async (rank: number, country: string, sells: boolean): Promise<string> =>
  (await spread.staff.post('/admin/warehouses', { rank, country, sells })).body.id;
const warehouses = [
  await createWarehouse(1, 'PT', true),
  await createWarehouse(2, 'FR', true),
  await createWarehouse(3, 'FR', false),
];
type Box = typeof plain;

/** Items whose `low`, `in_stock`, `low_at` or `level_count` does not match their levels and policy. */
const findInconsistent = ({ db }: Box) =>
  db.query(
    `select id, low, tracked, in_stock, stocked, low_stock_level, available, low_ats, levels, level_count from (
       select items.id, items.low, items.tracked, items.in_stock, items.low_stock_level,
              bool_or(levels.on_hand > levels.reserved) as stocked, sum(levels.on_hand - levels.reserved) as available,
              array_agg(distinct levels.low_at) as low_ats, count(*)::integer as levels,
              max(level_count) filter (where location_id = '${defaultLocation}') as level_count
         from stock_items items
         join stock_levels levels on levels.tenant_id = $1 and levels.stock_item_id = items.id
        where items.tenant_id = $1
        group by items.tenant_id, items.id) books
      where low <> (tracked and available <= low_stock_level) or in_stock <> stocked
         or low_ats <> array[case when tracked then low_stock_level end] or level_count is distinct from levels`,
  );

const isLow = async (box: Box, itemId: string, low: boolean) =>
  (await box.staff.get(`/admin/stock-items?variantId=${itemId}&low=${low}`)).body.items.length === 1;

async function runRandomSteps(
  box: Box,
  locations: readonly string[],
  rounds: number,
  check: (round: number) => Promise<void>,
) {
  const variants = [
    await createStockedVariant(box, 20),
    await createStockedVariant(box, 12, { lowStockLevel: 6 }),
    await createStockedVariant(box, 0),
  ];
  for (const locationId of locations) {
    for (const { itemId } of variants) await adjust(box, itemId, { quantity: 6, reason: 'received', locationId });
  }
  const carts = Array.from({ length: 4 }, () => reference('cart'));
  const orders = Array.from({ length: 3 }, () => reference('order'));
  let seed = Number(process.env.STOCK_SEED ?? Date.now() % 2 ** 31);
  t.comment(`STOCK_SEED=${seed}`);
  const below = (count: number) => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
    return (seed >>> 8) % count;
  };
  const pick = <T>(list: readonly T[]) => list[below(list.length)] as T;
  const line = () => ({
    variantId: pick(variants).variantId,
    quantity: 1 + below(4),
    locationId: pick([undefined, ...locations]),
  });
  const step = async () => {
    const [cart, order] = [pick(carts), pick(orders)] as [StockReference, StockReference];
    const lines = Array.from({ length: 1 + below(3) }, line);
    const anywhere = lines.map(({ variantId, quantity }) => ({ variantId, quantity }));
    const { itemId } = pick(variants) as StockedVariant;
    const kind = below(9);
    const locationId = pick([undefined, ...locations]);
    if (kind === 0) await adjust(box, itemId, { quantity: below(9) - 3 || 1, reason: 'corrected', locationId });
    if (kind === 1) await box.staff.patch(`/admin/stock-items/${itemId}`, { lowStockLevel: below(15) });
    if (kind === 2) await box.staff.patch(`/admin/stock-items/${itemId}`, { tracked: below(3) > 0 });
    return box.db.transaction(async (tx) => {
      if (kind === 3) return takeStock(tx, anywhere, order);
      if (kind === 4) return takeStock(tx, lines, order, { reserved: cart });
      if (kind === 5) return releaseStock(tx, cart);
      if (kind === 6) return returnStock(tx, lines, order);
      if (kind > 6) return reserveStock(tx, anywhere, cart, { until: kind > 7 ? past : null });
    });
  };
  for (let round = 0; round < rounds; round += 1) {
    const work = Array.from({ length: 6 }, () => step().then(() => 'done', codeOf));
    if (round % 5 === 4) work.push(releaseExpiredReservations(box.db).then(() => 'done', codeOf));
    const outcomes = new Set([...(await Promise.all(work)), 'done', 'insufficient_stock']);
    t.strictSame(outcomes, new Set(['done', 'insufficient_stock']), 'no deadlocks');
    await check(round);
  }
}

t.test('one location: low matches the level under concurrent changes', (t) =>
  runRandomSteps(plain, [], 40, async (round) => {
    t.strictSame(await findInconsistent(plain), [], `round ${round}`);
  }),
);

t.test('several locations: low matches the sum of all levels, including locations that serve no sale', (t) =>
  runRandomSteps(spread, warehouses, 40, async (round) => {
    t.strictSame(await findInconsistent(spread), [], `round ${round}`);
  }),
);

t.test('the list of low items has those at their level and no untracked ones', async (t) => {
  const { itemId, variantId } = await createStockedVariant(plain, 3, { lowStockLevel: 2 });
  t.strictSame([await isLow(plain, itemId, true), await isLow(plain, itemId, false)], [false, true]);
  const order = reference('order');
  await plain.db.transaction((tx) => takeStock(tx, [{ variantId, quantity: 1 }], order));
  t.strictSame([await isLow(plain, itemId, true), await isLow(plain, itemId, false)], [true, false]);
  await plain.staff.patch(`/admin/stock-items/${itemId}`, { tracked: false });
  t.strictSame([await isLow(plain, itemId, true), await isLow(plain, itemId, false)], [false, true]);
});

t.test('a reservation makes an item low, and a release or return ends it', async (t) => {
  const { itemId, variantId } = await createStockedVariant(plain, 5, { lowStockLevel: 2 });
  const [cart, order] = [reference('cart'), reference('order')];
  const lines = [{ variantId, quantity: 3 }];
  await plain.db.transaction((tx) => reserveStock(tx, lines, cart));
  t.ok(await isLow(plain, itemId, true), 'reserved');
  await plain.db.transaction((tx) => releaseStock(tx, cart));
  t.ok(await isLow(plain, itemId, false), 'released');
  await plain.db.transaction((tx) => reserveStock(tx, lines, cart));
  await plain.db.transaction((tx) => takeStock(tx, lines, order, { reserved: cart }));
  t.ok(await isLow(plain, itemId, true), 'sold from a reservation');
  await plain.db.transaction((tx) => returnStock(tx, lines, order));
  t.ok(await isLow(plain, itemId, false), 'returned');
});

t.test('a sale that leaves enough does not write the item', async (t) => {
  const { itemId, variantId } = await createStockedVariant(plain, 5, { lowStockLevel: 2 });
  const version = async () =>
    (
      await plain.db.query('select xmin::text, ctid::text from stock_items where tenant_id = $1 and id = $2', [itemId])
    )[0];
  const before = await version();
  await plain.db.transaction((tx) => takeStock(tx, [{ variantId, quantity: 1 }], reference('order')));
  t.strictSame(await version(), before);
  await plain.db.transaction((tx) => takeStock(tx, [{ variantId, quantity: 2 }], reference('order')));
  t.notSame(await version(), before);
});

/** Resolves once a statement waits for a lock of another transaction. */
const untilWaiting = ({ owner }: Box) =>
  until(
    () =>
      owner.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
            and query like '%stock_%'`,
      ),
    ({ length }) => length === 1,
  );

type Work = (tx: TenantDatabase) => Promise<unknown>;

/** Runs `second` in a transaction that waits for the locks of `first`, which commits once `meanwhile` is done. */
async function runBehind(first: Work, second: Work, meanwhile = async () => {}) {
  let commit = () => {};
  const committable = new Promise<void>((resolve) => {
    commit = resolve;
  });
  let waiting: Promise<unknown> = Promise.resolve();
  const blocking = plain.db.transaction(async (tx) => {
    await first(tx);
    waiting = plain.db.transaction(second);
    await committable;
  });
  const released = untilWaiting(plain).then(meanwhile).finally(commit);
  await Promise.all([released, blocking]);
  await waiting;
}

t.test('levels created while a statement waits are counted', async (t) => {
  const returnToNewLocation = (variantId: string, quantity: number) => (tx: TenantDatabase) => {
    const lines = [{ variantId, quantity, locationId: newId() }];
    return returnStock(tx, lines, reference('order'));
  };
  const backOrderAtNewLocation = (variantId: string, quantity: number) => async (tx: TenantDatabase) => {
    const locationId = newId();
    await openStockLevels(tx, [variantId], locationId);
    await takeStock(tx, [{ variantId, quantity, locationId }], reference('order'));
  };
  const item = { lowStockLevel: 5, backOrderPolicy: 'allow' };

  await t.test('sold', async (t) => {
    const { itemId, variantId } = await createStockedVariant(plain, 6, item);
    await runBehind(returnToNewLocation(variantId, 10), (tx) =>
      takeStock(tx, [{ variantId, quantity: 2 }], reference('order')),
    );
    t.strictSame(await findInconsistent(plain), []);
    t.ok(await isLow(plain, itemId, false));
  });

  await t.test('sold from a reservation', async (t) => {
    const { itemId, variantId } = await createStockedVariant(plain, 7, item);
    const reserved = reference('cart');
    await plain.db.transaction((tx) => reserveStock(tx, [{ variantId, quantity: 1 }], reserved));
    await runBehind(returnToNewLocation(variantId, 10), (tx) =>
      takeStock(tx, [{ variantId, quantity: 2 }], reference('order'), { reserved }),
    );
    t.strictSame(await findInconsistent(plain), []);
    t.ok(await isLow(plain, itemId, false));
  });

  await t.test('reserved', async (t) => {
    const { itemId, variantId } = await createStockedVariant(plain, 6, item);
    await runBehind(returnToNewLocation(variantId, 10), (tx) =>
      reserveStock(tx, [{ variantId, quantity: 2 }], reference('cart')),
    );
    t.strictSame(await findInconsistent(plain), []);
    t.ok(await isLow(plain, itemId, false));
  });

  await t.test('released', async (t) => {
    const { itemId, variantId } = await createStockedVariant(plain, 7, item);
    const cart = reference('cart');
    await plain.db.transaction((tx) => reserveStock(tx, [{ variantId, quantity: 3 }], cart));
    await runBehind(backOrderAtNewLocation(variantId, 10), (tx) => releaseStock(tx, cart));
    t.strictSame(await findInconsistent(plain), []);
    t.ok(await isLow(plain, itemId, true));
  });

  await t.test('returned', async (t) => {
    const { itemId, variantId } = await createStockedVariant(plain, 7, item);
    const [order, lines] = [reference('order'), [{ variantId, quantity: 3 }]];
    await plain.db.transaction((tx) => takeStock(tx, lines, order));
    await runBehind(backOrderAtNewLocation(variantId, 10), (tx) => returnStock(tx, lines, order));
    t.strictSame(await findInconsistent(plain), []);
    t.ok(await isLow(plain, itemId, true));
  });

  await t.test('sold with a back-order', async (t) => {
    const { itemId, variantId } = await createStockedVariant(plain, 3, item);
    await runBehind(returnToNewLocation(variantId, 10), (tx) =>
      takeStock(tx, [{ variantId, quantity: 9 }], reference('order')),
    );
    t.strictSame(await findInconsistent(plain), []);
    t.ok(await isLow(plain, itemId, true));
  });

  await t.test('created and stocked while the statement waits for another item', async (t) => {
    const items = [await createStockedVariant(plain, 6, item), await createStockedVariant(plain, 6, item)];
    const [first, second] = items.map(({ variantId }) => variantId).sort() as [string, string];
    const sale = [first, second].map((variantId) => ({ variantId, quantity: 2 }));
    await runBehind(
      (tx) => takeStock(tx, [{ variantId: first, quantity: 1 }], reference('order')),
      (tx) => takeStock(tx, sale, reference('order')),
      () => plain.db.transaction(returnToNewLocation(second, 10)),
    );
    t.strictSame(await findInconsistent(plain), []);
    t.ok(await isLow(plain, second, false));
    t.ok(await isLow(plain, first, true));
  });
});

t.test('a change of the policy applies where changes are recorded', async (t) => {
  const recorded = await createTestBox(t, { packages: [...packages, '@carton/audit'], tier: 'enterprise' });
  const { itemId } = await createStockedVariant(recorded, 5);
  await recorded.staff.patch(`/admin/stock-items/${itemId}`, { lowStockLevel: 5 });
  t.strictSame(await findInconsistent(recorded), []);
  t.ok(await isLow(recorded, itemId, true));
  await recorded.staff.patch(`/admin/stock-items/${itemId}`, { tracked: false });
  t.strictSame(await findInconsistent(recorded), []);
  t.ok(await isLow(recorded, itemId, false));
});

t.test('the migrations compute low and the level count of existing items', async (t) => {
  const migration = (file: string) => import(new URL(`../migrations/${file}`, import.meta.url).href);
  const low = await migration('20261122151500_inventory_know_low_stock.js');
  const counts = await migration('20261122162000_inventory_count_levels.js');
  const { knex, close } = openDatabase({ url: spread.databaseUrl });
  t.teardown(close);
  const states = 'select id, low from stock_items order by id';
  await createStockedVariant(spread, 5, { lowStockLevel: 4 });
  await createStockedVariant(spread, 4, { lowStockLevel: 4 });
  await createStockedVariant(spread, 0, { tracked: false });
  const rows = await spread.owner.query(states);
  t.strictSame(new Set(rows.map(({ low }) => low)), new Set([true, false]));
  for (const { down } of [counts, low]) await down(knex);
  for (const { up } of [low, counts]) await up(knex);
  t.strictSame(await findInconsistent(spread), []);
  t.strictSame(await spread.owner.query(states), rows);
});

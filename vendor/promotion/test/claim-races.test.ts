/**
 * Claims of uses at the same time: what they lock, in which order, and by which rows they decide.
 */
import { newId, outboxRow, type TenantDatabase } from '@carton/runtime';
import { createTestBox, raceRounds, until, untilWaiting } from '@carton/runtime/testing';
import t from 'tap';
import { promotionUsed } from '../events.ts';
import { claimUses } from '../uses/claims-store.ts';
import { returnUses } from '../uses/placing.ts';
import { endAll, percent, promoteByCode, usesOf } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic' });
const { db, staff } = box;
t.afterEach(() => endAll(box));

interface Coded {
  id: string;
  code: string;
}

/** Two promotions by code, in the order in which they are locked. */
async function promoteTwo(limits: object): Promise<[Coded, Coded]> {
  const created = [];
  for (const code of ['FIRST', 'SECOND'])
    created.push({ code, id: await promoteByCode(box, code, { discount: percent(10), ...limits }) });
  return created.toSorted((one, other) => (one.id < other.id ? -1 : 1)) as [Coded, Coded];
}

class UsedUp extends Error {}

/** Claims a use of each promotion for one customer. @throws UsedUp */
async function claimIn(tx: TenantDatabase, used: readonly Coded[], orderId: string): Promise<void> {
  const uses = used.map(({ id, code }) => ({ promotionId: id, code, amount: 10 }));
  const events = uses.map(({ promotionId, code }) => {
    const payload = { orderId, code, amount: { amount: 10, currency: 'EUR' } };
    return outboxRow(tx, promotionUsed, { type: 'promotion', id: promotionId }, payload);
  });
  const order = { orderId, currency: 'EUR', customerKey: 'ada@example.com' };
  if (!(await claimUses(tx, order, uses, events))) throw new UsedUp();
}

/** As `claimIn`, in a transaction of its own. @returns whether all were claimed */
async function claim(used: readonly Coded[], orderId = newId()): Promise<boolean> {
  try {
    await db.transaction((tx) => claimIn(tx, used, orderId));
    return true;
  } catch (error) {
    if (error instanceof UsedUp) return false;
    throw error;
  }
}

const counts = {
  promotion: 'select claimed from promotions where tenant_id = $1 and id = $2',
  code: 'select claimed from promotion_codes where tenant_id = $1 and promotion_id = $2',
  customer: 'select uses as claimed from promotion_customers where tenant_id = $1 and promotion_id = $2',
};
type Kind = keyof typeof counts;
const kinds = Object.keys(counts) as Kind[];

async function countOf(kind: Kind, { id }: Coded): Promise<number | undefined> {
  const [row] = await db.query<{ claimed: number }>(counts[kind], [id]);
  return row?.claimed;
}

/** Locks a count as an order does. */
const lock = (tx: TenantDatabase, kind: Kind, { id }: Coded) => tx.query(`${counts[kind]} for no key update`, [id]);

/** Runs work while a claim waits for a transaction that holds a row. @returns whether all were claimed then */
async function whileWaiting(
  hold: (tx: TenantDatabase) => Promise<unknown>,
  used: readonly Coded[],
  work: () => Promise<unknown>,
): Promise<boolean> {
  const { claiming } = await db.transaction(async (tx) => {
    await hold(tx);
    const claiming = claim(used);
    await until(
      () =>
        box.owner.query(
          `select from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock' and query like '%claimed_promotions%'`,
        ),
      (waiting) => waiting.length > 0,
    );
    await work();
    return { claiming };
  });
  return claiming;
}

t.test('promotions are locked first, then codes, then the customer, and each by promotion', async (t) => {
  const two = await promoteTwo({ maxUses: 9, maxUsesOfCode: 9, maxUsesPerCustomer: 9 });
  await claim(two);
  const inOrder = kinds.flatMap((kind) => two.map((each) => ({ kind, each })));
  for (const [at, { kind, each }] of inOrder.entries()) {
    const checkLocks = async () => {
      const free = inOrder.map((one) => db.query(`${counts[one.kind]} for no key update skip locked`, [one.each.id]));
      const isLocked = (await Promise.all(free)).map((rows) => rows.length === 0);
      t.strictSame(
        isLocked,
        inOrder.map((_, place) => place <= at),
        `${kind} ${at % 2}`,
      );
    };
    t.ok(await whileWaiting((tx) => lock(tx, kind, each), two.toReversed(), checkLocks));
  }
});

t.test('what has no limit keeps no order waiting, but staff who set one', async (t) => {
  const [one] = await promoteTwo({});
  const { setting } = await db.transaction(async (tx) => {
    await lock(tx, 'promotion', one);
    await lock(tx, 'code', one);
    t.ok(await claim([one]));
    await claimIn(tx, [one], newId());
    const setting = staff.patch(`/admin/promotions/${one.id}`, { maxUses: 5 });
    await untilWaiting(box);
    t.equal(await countOf('promotion', one), 0);
    return { setting };
  });
  t.equal((await setting).status, 200);
  t.equal(await countOf('promotion', one), 2);
  t.equal(await countOf('code', one), 0);
});

t.test('a claim that has waited decides by the newest rows', async (t) => {
  const set = (values: string) => `update promotions set ${values} where tenant_id = $1 and id = $2`;
  const changes: { what: string; limits?: object; text: string; isOrder?: boolean; claimed: boolean }[] = [
    { what: 'a limit is set, and reached', text: set('max_uses = 1, claimed = 1'), claimed: false },
    { what: 'a limit is set, and not reached', text: set('max_uses = 2, claimed = 1'), claimed: true },
    { what: 'the limit ends', limits: { maxUses: 1 }, text: set('max_uses = null'), claimed: true },
    { what: 'customers are limited', text: set('max_uses_per_customer = 1'), claimed: false },
    { what: 'it is for first orders', text: set(`rules = rules || '{"firstOrder": true}'`), claimed: false },
    {
      what: 'it is deleted with its codes',
      text: `with codes as (delete from promotion_codes where tenant_id = $1 and promotion_id = $2)
             ${set('deleted_at = now()')}`,
      claimed: false,
    },
    {
      ...{ what: 'an order takes the last use', limits: { maxUses: 2 }, isOrder: true, claimed: false },
      text: set('claimed = claimed + 1'),
    },
    {
      ...{ what: 'an order returns the last use', limits: { maxUses: 1 }, isOrder: true, claimed: true },
      text: set('claimed = claimed - 1'),
    },
  ];
  for (const { what, limits = {}, text, isOrder = false, claimed } of changes) {
    const [first, second] = await promoteTwo(limits);
    await claim([second]);
    // The claim waits for the first promotion; its snapshot has the second one as it is before.
    const change = async () => {
      await db.query(set('claimed = claimed'), [second.id]);
      await db.transaction(async (tx) => {
        if (!isOrder) await tx.query(`${counts.promotion} for update`, [second.id]);
        await tx.query(text, [second.id]);
      });
    };
    const hold = async (tx: TenantDatabase) => {
      await tx.query(`${counts.promotion} for update`, [first.id]);
      await tx.query(set('max_uses = null'), [first.id]);
    };
    t.equal(await whileWaiting(hold, [first, second], change), claimed, what);
    await endAll(box);
  }
});

t.test('of six claims with three uses left, in both orders of promotions, three get them', async (t) => {
  const limits = { promotion: { maxUses: 3 }, code: { maxUsesOfCode: 3 }, customer: { maxUsesPerCustomer: 3 } };
  for (let round = 0; round < 2 * raceRounds; round++) {
    for (const kind of kinds) {
      const two = await promoteTwo(limits[kind]);
      const claimAtOnce = (orders: readonly string[]) =>
        orders.map(async (order, at) => ((await claim(at % 2 ? two : two.toReversed(), order)) ? [order] : []));
      const newOrders = Array.from({ length: 6 }, newId);
      const placed = (await Promise.all(claimAtOnce(newOrders))).flat();
      t.equal(placed.length, 3, kind);
      // Two are returned while four others claim.
      const [canceled, later] = await Promise.all([
        Promise.all(placed.slice(1).map((id) => db.transaction((tx) => returnUses(tx, { id } as never)))),
        Promise.all(claimAtOnce(Array.from({ length: 4 }, newId))),
      ]);
      const left = 3 - canceled.length + later.flat().length;
      t.ok(left <= 3);
      for (const each of two) {
        const uses = { 'ada@example.com': left };
        t.strictSame(await usesOf(box, each.id), [uses, uses]);
        t.equal(await countOf(kind, each), left);
      }
      await endAll(box);
    }
  }
});

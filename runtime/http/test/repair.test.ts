/**
 * Repairs of values that their schema refuses: what may be absent is left out or null, a row that lacks what it must have
 * is left out of its list, and everything else fails.
 */
import t, { type Test } from 'tap';
import { nullable, object, oneOf, pageOf, type TSchema, Type } from '../index.ts';
import { type Refusal, serializeRepaired } from '../repair.ts';

const Money = object({ amount: Type.Integer(), currency: Type.String() }, { $id: 'Money' });
const Line = object({ title: Type.String(), price: Money, note: nullable(Type.String()), hint: Type.Optional(Money) });
const Address = Type.Unsafe({
  anyOf: [
    { type: 'string', minLength: 1 },
    { type: 'object', minProperties: 1, additionalProperties: { type: 'string' } },
    { type: 'null' },
  ],
});
const Order = object(
  {
    id: Type.String(),
    state: oneOf(['open', 'closed']),
    total: Money,
    balance: nullable(Money),
    address: Address,
    lines: Type.Array(Line),
    tags: Type.Optional(Type.Array(Type.String())),
    kind: nullable(oneOf(['a', 'b'])),
    counts: Type.Optional(Type.Unsafe({ type: 'object', additionalProperties: { type: 'integer' } })),
  },
  { $id: 'Order' },
);
const euro = (amount: unknown) => ({ amount, currency: 'EUR' });
const line = { title: 'Shirt', price: euro(5), note: null };
const order = { id: '1', state: 'open', total: euro(5), balance: null, address: 'A 1', lines: [line], kind: 'a' };

/** Repairs a value; returns what remains, and what was reported. */
function repaired(schema: TSchema, value: unknown): [unknown, Refusal[]] {
  const reported: Refusal[] = [];
  try {
    return [JSON.parse(serializeRepaired(schema, value, (refusals) => reported.push(...refusals))), reported];
  } catch (error) {
    return [(error as Error).message, reported];
  }
}

/** Checks how a change of the order is repaired: what becomes of it, and what is refused where. */
function checkRepair(t: Test, change: object, left: object, refusals: [pointer: string, outcome: string][]): void {
  const [value, reported] = repaired(Order, { ...order, ...change, secret: 'x' });
  const expected = JSON.parse(JSON.stringify({ ...order, ...left }));
  t.same(value, expected, JSON.stringify(change));
  t.strictSame(
    reported.map(({ pointer, outcome }) => [pointer, outcome]),
    refusals,
  );
}

t.test('a valid response is not looked at twice', (t) => {
  let reads = 0;
  const counted = {
    ...order,
    get id() {
      reads += 1;
      return '1';
    },
  };
  const never = () => t.fail('something is reported');
  t.same(JSON.parse(serializeRepaired(Order, counted, never)), order);
  t.equal(reads, 1);
  t.end();
});

t.test('what may be absent or null is left out or null', (t) => {
  checkRepair(t, { balance: 5 }, { balance: null }, [['/balance', 'null']]);
  checkRepair(t, { balance: euro(null) }, { balance: null }, [['/balance/amount', 'null']]);
  checkRepair(t, { balance: undefined }, { balance: null }, [['/balance', 'null']]);
  checkRepair(t, { kind: 'c' }, { kind: null }, [['/kind', 'null']]);
  checkRepair(t, { tags: 'x' }, { tags: undefined }, [['/tags', 'omitted']]);
  checkRepair(t, { tags: ['x', 1] }, { tags: undefined }, [['/tags/1', 'omitted']]);
  checkRepair(t, { counts: { a: 1, b: 'x' } }, { counts: { a: 1 } }, [['/counts/*', 'omitted']]);
  for (const address of [{}, '', 5, [], undefined]) {
    checkRepair(t, { address }, { address: null }, [['/address', 'null']]);
  }
  checkRepair(t, { address: { city: 'Berlin', line1: 5 } }, { address: { city: 'Berlin' } }, [
    ['/address/*', 'omitted'],
  ]);
  checkRepair(t, { address: { line1: 5 } }, { address: null }, [['/address', 'null']]);
  checkRepair(t, { kind: 1, balance: 1 }, { kind: null, balance: null }, [
    ['/balance', 'null'],
    ['/kind', 'null'],
  ]);
  t.end();
});

t.test('values in nested arrays are repaired, and no element is left out', (t) => {
  const lines = [line, { ...line, note: 5, hint: euro('x') }];
  checkRepair(t, { lines }, { lines: [line, line] }, [
    ['/lines/1/note', 'null'],
    ['/lines/1/hint/amount', 'omitted'],
  ]);
  for (const [price, pointer] of [
    [euro(null), '/lines/1/price/amount'],
    [euro(0.5), '/lines/1/price/amount'],
    [null, '/lines/1/price'],
  ]) {
    const [message, reported] = repaired(Order, {
      ...order,
      lines: [
        { ...line, note: 5 },
        { ...line, price },
      ],
    });
    t.equal(message, `the schema of the response refuses ${pointer}`);
    t.strictSame(reported, [{ pointer, outcome: 'failed' }]);
  }
  t.end();
});

t.test('an amount or a state that a response must have is never replaced', (t) => {
  const changes: [object, string][] = [
    [{ state: 'lost' }, '/state'],
    [{ state: null }, '/state'],
    [{ state: undefined }, '/state'],
    [{ total: null }, '/total'],
    [{ total: {} }, '/total/amount'],
    [{ total: euro(null) }, '/total/amount'],
    [{ total: euro('5') }, '/total/amount'],
    [{ total: { amount: 5, currency: null } }, '/total/currency'],
    [{ lines: null }, '/lines'],
    [{ id: 7 }, '/id'],
  ];
  for (const [change, pointer] of changes) {
    t.strictSame(
      repaired(Order, { ...order, ...change }),
      [`the schema of the response refuses ${pointer}`, [{ pointer, outcome: 'failed' }]],
      JSON.stringify(change),
    );
  }
  t.strictSame(repaired(Order, null)[1], [{ pointer: '', outcome: 'failed' }]);
  t.end();
});

t.test('rows are left out of lists, also of lists in a resource and of an array', (t) => {
  const Page = pageOf(Order, 'OrderPage');
  const bad = { ...order, id: '2', state: 'lost', kind: 'c' };
  const odd = { ...order, id: '3', kind: 'c' };
  const rows = [order, bad, odd];
  const left = [order, { ...odd, kind: null }];
  const expected: Refusal[] = [
    { pointer: '/items/1/state', outcome: 'row_omitted' },
    { pointer: '/items/2/kind', outcome: 'null' },
  ];
  t.strictSame(repaired(Page, { items: rows, nextCursor: 'c' }), [{ items: left, nextCursor: 'c' }, expected]);
  t.strictSame(repaired(object({ items: Type.Array(Order) }), { items: rows })[0], { items: left });
  t.strictSame(repaired(Type.Array(Order), rows)[0], left);
  const Collection = object({ title: Type.String(), orders: Page });
  const [collection, reported] = repaired(Collection, { title: 'x', orders: { items: rows, nextCursor: null } });
  t.strictSame(collection, { title: 'x', orders: { items: left, nextCursor: null } });
  t.equal(reported[0]?.pointer, '/orders/items/1/state');
  const Menu = object({ title: Type.String(), items: Type.Array(Order) });
  t.strictSame(repaired(Menu, { title: 'x', items: rows })[1].at(-1), { pointer: '/items/1/state', outcome: 'failed' });
  for (const page of [{ items: null, nextCursor: null }, { items: rows }, { items: rows, nextCursor: 5 }]) {
    const [value] = repaired(Page, page);
    if (Array.isArray(page.items)) t.equal((value as { nextCursor: unknown }).nextCursor, null);
    else t.match(value, 'refuses /items');
  }
  t.end();
});

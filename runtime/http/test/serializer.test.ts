/**
 * Serialization: values of a schema are written as JSON.stringify would, without what is undeclared; others are refused.
 */
import fc from 'fast-check';
import t from 'tap';
import { nullable, object, oneOf, type TSchema, Type } from '../schemas.ts';
import { isWritable, serialize } from '../serializer.ts';

const Money = object({ amount: Type.Integer(), currency: Type.String() }, { $id: 'Money' });
const Address = Type.Unsafe({
  anyOf: [
    { type: 'string', minLength: 1, maxLength: 5 },
    { type: 'object', minProperties: 1, maxProperties: 2, additionalProperties: { type: ['string', 'null'] } },
    { type: 'null' },
  ],
});
const Discount = Type.Union([
  object({ kind: Type.Literal('percent'), percent: Type.Number({ minimum: 0, maximum: 100 }) }),
  object({ kind: Type.Literal('fixed'), amounts: Type.Array(Money, { minItems: 1 }) }),
]);
const Any = Type.Unsafe({ type: 'object', additionalProperties: true });

t.test('values are written as JSON.stringify writes them', (t) => {
  const money = fc.record({ amount: fc.integer(), currency: fc.string({ unit: 'binary' }) });
  const Thing = object({
    text: Type.String({ maxLength: 2, pattern: '^a' }),
    state: oneOf(['new', 'a "b"']),
    noState: nullable(oneOf(['new'])),
    count: Type.Integer(),
    rate: Type.Number(),
    isOpen: Type.Boolean(),
    at: Type.String({ format: 'date-time' }),
    total: Money,
    noTotal: nullable(Money),
    note: nullable(Type.String()),
    tags: Type.Array(Type.String()),
    lines: Type.Array(object({ price: Money })),
    anything: Type.Any(),
    counts: Type.Unsafe({ type: 'object', additionalProperties: { type: 'integer' } }),
    metadata: Any,
    address: Address,
    discount: Discount,
  });
  const things = fc.record({
    text: fc.string({ unit: 'binary' }),
    state: fc.constantFrom('new', 'a "b"'),
    noState: fc.constantFrom('new', null),
    count: fc.oneof(fc.maxSafeInteger(), fc.constant(-0)),
    rate: fc.double({ noNaN: true, noDefaultInfinity: true }),
    isOpen: fc.boolean(),
    at: fc.oneof(fc.date({ noInvalidDate: true }), fc.string()),
    total: money,
    noTotal: fc.option(money),
    note: fc.option(fc.string()),
    tags: fc.array(fc.string({ unit: 'binary' })),
    lines: fc.array(fc.record({ price: money })),
    anything: fc.jsonValue(),
    counts: fc.dictionary(fc.string(), fc.integer()),
    metadata: fc.dictionary(fc.string(), fc.jsonValue()),
    address: fc.oneof(
      fc.string({ minLength: 1, maxLength: 5 }),
      fc.dictionary(fc.string(), fc.option(fc.string()), { minKeys: 1, maxKeys: 2 }),
      fc.constant(null),
    ),
    discount: fc.oneof(
      fc.record({ kind: fc.constant('percent'), percent: fc.integer({ min: 0, max: 100 }) }),
      fc.record({ kind: fc.constant('fixed'), amounts: fc.array(money, { minLength: 1 }) }),
    ),
  });
  fc.assert(
    fc.property(things, (thing) => {
      const written = serialize(Thing, { ...thing, secret: 1, total: { ...thing.total, secret: 1 } });
      t.strictSame(written, JSON.stringify(thing));
    }),
    { numRuns: 200 },
  );
  t.end();
});

const accepted: [TSchema, unknown, string][] = [
  [object({ a: Type.Optional(Type.Integer()), b: Type.Integer() }), { a: 1, b: 2 }, '{"b":2,"a":1}'],
  [object({ a: Type.Optional(Type.Integer()), b: Type.Optional(Type.Integer()) }), { b: 2 }, '{"b":2}'],
  [object({ a: Type.Optional(Type.Integer()) }), {}, '{}'],
  [object({ a: Type.Integer({ default: 7 }) }), {}, '{"a":7}'],
  [
    object({ a: Type.Optional(Type.Integer()) }, { additionalProperties: Type.String() }),
    { b: 'x', a: 1 },
    '{"a":1,"b":"x"}',
  ],
  [Type.Integer(), 12n, '12'],
  [Type.Any(), { a: [1, undefined] }, '{"a":[1,null]}'],
  [object({ value: Type.Null() }), { value: null }, '{"value":null}'],
  [Type.String(), new Date(0), '"1970-01-01T00:00:00.000Z"'],
  [Discount, { kind: 'percent', percent: 5, secret: 1 }, '{"kind":"percent","percent":5}'],
];

t.test('order, defaults and undeclared properties', (t) => {
  for (const [schema, value, json] of accepted) t.equal(serialize(schema, value), json, json);
  t.end();
});

const refused: [TSchema, unknown[]][] = [
  [Type.Integer(), [null, undefined, '1', 1.5, Number.NaN, true, {}, [1]]],
  [Type.Number(), [null, undefined, '1', Number.NaN, Number.POSITIVE_INFINITY, {}]],
  [Type.String(), [null, undefined, 1, true, {}, [], new Date(Number.NaN)]],
  [Type.String({ format: 'date-time' }), [null, undefined, 1, new Date(Number.NaN)]],
  [Type.Boolean(), [null, undefined, 0, 1, 'true', '']],
  [oneOf(['a', 'b']), [null, undefined, 'c', '', 1]],
  [nullable(oneOf(['a', 'b'])), [undefined, 'c', '']],
  [Type.Literal('a'), [null, 'b']],
  [nullable(Type.String()), [undefined, 1, {}]],
  [
    Money,
    [null, undefined, {}, [], 'x', { amount: 1 }, { amount: null, currency: 'EUR' }, { amount: '1', currency: 'EUR' }],
  ],
  [nullable(Money), [undefined, {}, { amount: 1.5, currency: 'EUR' }]],
  [Type.Array(Money), [null, {}, [null], [{ amount: 1, currency: 'EUR' }, {}]]],
  [Type.Array(Type.String()), [null, {}, 'a', [null], ['a', 1]]],
  [Any, [null, [], 'a']],
  [Type.Any(), [undefined]],
  [Address, [undefined, '', '123456', 1, [], {}, { a: '1', b: '2', c: '3' }, { a: 1 }]],
  [
    Discount,
    [
      null,
      {},
      { kind: 'other' },
      { kind: 'percent' },
      { kind: 'percent', percent: 101 },
      { kind: 'fixed', percent: 1 },
      { kind: 'fixed', amounts: [] },
    ],
  ],
];

t.test('values of another type, unknown constants and missing properties are refused, not converted', (t) => {
  for (const [schema, values] of refused) {
    for (const value of values) {
      t.throws(
        () => serialize(schema, value),
        { name: 'RefusedValue' },
        `${JSON.stringify(value)} as ${JSON.stringify(schema)}`,
      );
      t.notOk(isWritable(schema, value));
    }
  }
  t.end();
});

t.test('bounds, patterns and formats are not compared outside of unions', (t) => {
  const Bounded = object({
    text: Type.String({ minLength: 2, pattern: '^a', format: 'email' }),
    count: Type.Integer({ minimum: 5 }),
    list: Type.Array(Type.Integer(), { minItems: 1 }),
    map: Type.Unsafe({ type: 'object', minProperties: 1, additionalProperties: { type: 'integer' } }),
  });
  const value = { text: '', count: 0, list: [], map: {} };
  t.equal(serialize(Bounded, value), JSON.stringify(value));
  t.end();
});

t.test('a schema that cannot be compiled fails at its first use', (t) => {
  const schemas = [
    Type.Union([Money, object({ other: Type.String() })]),
    Type.Unsafe({ type: ['string', 'integer'] }),
    Type.Record(Type.String(), Type.Integer()),
    Type.Unsafe({ anyOf: [{ type: 'string' }, { const: 1 }] }),
    Type.Unsafe({ type: 'bigint' }),
  ];
  for (const schema of schemas)
    t.throws(() => serialize(schema, {}), /a response|alternatives/, JSON.stringify(schema));
  t.end();
});

t.test('an error of the value itself is not a refusal', (t) => {
  const value = {
    get amount(): number {
      throw new TypeError('away');
    },
  };
  t.throws(() => serialize(Money, value), { name: 'TypeError' });
  t.throws(() => isWritable(Money, value), { name: 'TypeError' });
  t.end();
});

/**
 * Validation of requests and serialization of responses by their schemas.
 */
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { Country } from '../../country/country.ts';
import { fieldErrors } from '../field-errors.ts';
import { nullable, object, type TSchema, Type } from '../schemas.ts';
import { serialize } from '../serializer.ts';
import { matches, validate } from '../validation.ts';

t.test('formats of this API cause no warnings on the console', (t) => {
  const warnings = t.capture(console, 'warn');
  const Place = object({
    // A property may have the name of a keyword.
    format: Type.String(),
    country: Type.Union([Country, Type.Null(), Type.Integer()]),
    other: nullable(object({ country: nullable(Country) })),
  });
  const place = { format: 'country', country: 'AT', other: { country: null } };
  t.strictSame(JSON.parse(serialize(Place, place)), place);
  t.strictSame(warnings(), []);
  t.end();
});

t.test('of alternatives, the errors are those of the one that the value means', (t) => {
  const Amounts = Type.Array(object({ kind: Type.Literal('amount'), value: Type.Integer() }));
  const Discount = Type.Union([
    object({ kind: Type.Literal('percent'), percent: Type.Number() }),
    object({ kind: Type.Literal('fixed'), amounts: Type.Union([Amounts, Type.Null()]) }),
    object({ kind: Type.Literal('free') }),
  ]);
  const Body = object({ discount: Discount, name: Type.String() });
  const pointersOf = (discount: object, name: unknown = 'Offer') => {
    try {
      validate(Body, { discount, name } as never, 'body');
      return [];
    } catch (error) {
      return [...new Set((error as { errors: { pointer: string }[] }).errors.map(({ pointer }) => pointer))].sort();
    }
  };
  t.strictSame(pointersOf({ kind: 'fixed', amounts: [{ kind: 'amount', value: 1 }] }), []);
  t.strictSame(pointersOf({ kind: 'percent', percent: 'all' }), ['/discount', '/discount/percent']);
  t.strictSame(pointersOf({ kind: 'free', percent: 1 }, 2), ['/discount', '/discount/percent', '/name']);
  t.ok(pointersOf({ kind: 'fixed', amounts: [{ kind: 'amount', value: 'x' }] }).includes('/discount/amounts/0/value'));
  t.notOk(pointersOf({ kind: 'fixed', amounts: [{ kind: 'amount', value: 'x' }] }).includes('/discount/percent'));
  t.strictSame(pointersOf({ kind: 'all' }), ['/discount', '/discount/kind']);
  t.ok(pointersOf({}).includes('/discount/kind'));
  const kinds = 'must be one of "percent", "fixed", "free"';
  t.throws(() => validate(Body, { discount: { kind: 'all' }, name: 'Offer' } as never, 'body'), {
    message: `body /discount/kind: ${kinds}`,
    errors: exactly([{ detail: kinds }, { pointer: '/discount' }]),
  });
  t.end();
});

t.test('the errors of alternatives within an alternative are those of the meant one', (t) => {
  const Condition = Type.Union([
    object({ fact: Type.Literal('category'), id: Type.String() }),
    object({ fact: Type.Literal('quantity'), least: Type.Integer() }),
  ]);
  const Discount = Type.Union([
    object({ kind: Type.Literal('percent'), percent: Type.Number() }),
    object({ kind: Type.Literal('get'), conditions: Type.Union([Type.Array(Condition), Type.Null()]) }),
  ]);
  const pointersOf = (condition: object) => {
    try {
      validate(object({ discount: Discount }), { discount: { kind: 'get', conditions: [condition] } } as never, 'body');
      return [];
    } catch (error) {
      const { errors } = error as { errors: { pointer: string }[] };
      return [...new Set(errors.map(({ pointer }) => pointer))]
        .sort()
        .map((pointer) => pointer.slice('/discount'.length));
    }
  };
  const around = ['', '/conditions', '/conditions/0'];
  t.strictSame(pointersOf({ fact: 'quantity', least: 2 }), []);
  t.strictSame(pointersOf({ fact: 'color' }), [...around, '/conditions/0/fact']);
  t.strictSame(pointersOf({ fact: 'quantity', least: 'x' }), [...around, '/conditions/0/least']);
  t.end();
});

t.test('of alternatives with other types, the errors are those of the type that the value has', (t) => {
  const Part = object({ code: Type.String(), amount: Type.Integer() });
  const Shipping = Type.Union([Type.Boolean(), Type.Array(Type.Union([Type.String(), Part]))]);
  const detailsOf = (shipping: unknown) => {
    try {
      validate(object({ shipping: Shipping }), { shipping } as never, 'body');
      return [];
    } catch (error) {
      const { errors } = error as { errors: { pointer: string; detail: string; keyword?: string }[] };
      return errors.map(({ pointer, detail }) => `${pointer}: ${detail}`).filter((text) => !text.includes('anyOf'));
    }
  };
  t.strictSame(detailsOf(true), []);
  t.strictSame(detailsOf(['standard']), []);
  t.strictSame(detailsOf([{ code: 'standard' }]), ["/shipping/0/amount: must have required property 'amount'"]);
  t.strictSame(detailsOf([1]), ['/shipping/0: must be string', '/shipping/0: must be object']);
  t.strictSame(detailsOf(1), ['/shipping: must be boolean', '/shipping: must be array']);
  t.end();
});

/** Whether an array without two equal items is required, and this one is none. */
function repeats(items: readonly unknown[], schema: TSchema = Type.Unknown()): boolean {
  return !matches(Type.Array(schema, { uniqueItems: true }), items);
}

t.test('items are equal by their own members, whatever these are called', (t) => {
  const part = { code: 'standard', amount: 1 };
  for (const name of ['toString', 'valueOf', 'constructor', 'hasOwnProperty', '__proto__', 'toJSON']) {
    for (const value of [null, 1, {}]) {
      const hostile = JSON.parse(`{ "${name}": ${JSON.stringify(value)} }`);
      const same = JSON.parse(`{ "${name}": ${JSON.stringify(value)} }`);
      const other = JSON.parse(`{ "${name}": [${JSON.stringify(value)}] }`);
      t.notOk(repeats([part, hostile]) || repeats([hostile, part]) || repeats([{}, hostile, other]), name);
      t.ok(repeats([part, hostile, { a: 1 }, same]), `${name} twice`);
    }
  }
  t.ok(repeats(['__proto__', '__proto__'], Type.String()));
  t.ok(
    repeats([
      { code: 'a', parts: [1, { b: null, a: 2 }] },
      { parts: [1, { a: 2, b: null }], code: 'a' },
    ]),
  );
  t.ok(repeats([JSON.parse('1.0'), 1]) && repeats([-0, 0]) && repeats([[], []]));
  t.notOk(repeats([1, '1', null, 'null', [1], '[1]', { a: 1 }, '{"a":1}', [], {}, true, 'true', '', [1, 2], [[1, 2]]]));
  t.notOk(repeats([['a', 'b'], ['a,b'], ['a","b']]));
  t.notOk(repeats([JSON.parse('1e400'), null, 'Infinity']));
  t.end();
});

t.test('the positions of equal items are named', (t) => {
  const Body = object({ codes: Type.Array(Type.String(), { uniqueItems: true }), all: Type.Array(Type.Any()) });
  t.throws(() => validate(Body, { codes: ['a', 'b', 'c', 'b', 'a'], all: [1, 1] }, 'body'), {
    errors: exactly([
      { in: 'body', pointer: '/codes', detail: 'must NOT have duplicate items (items ## 1 and 3 are identical)' },
    ]),
  });
  t.ok(matches(Type.Array(Type.Any(), { uniqueItems: false }), [1, 1]));
  t.end();
});

t.test('whether items are equal costs in proportion to their number, also in an array with too many', (t) => {
  const readsOf = (count: number) => {
    let reads = 0;
    const items = Array.from({ length: count }, (_, at) =>
      Object.defineProperty({}, 'code', {
        enumerable: true,
        get() {
          reads++;
          return `code ${at}`;
        },
      }),
    );
    t.notOk(matches(Type.Array(Type.Any(), { uniqueItems: true, maxItems: 10 }), items));
    return reads;
  };
  const [few, many] = [readsOf(100), readsOf(1000)];
  t.ok(few > 0);
  t.equal(many, few * 10);
  t.end();
});

t.test('what the value means is chosen from a limited number of errors', (t) => {
  const readsOf = (count: number) => {
    let reads = 0;
    const place = '#/properties/conditions/items';
    // Each condition lacks what its kind needs, and has another constant than the other kind.
    const errors = Array.from({ length: count }, (_, at) => {
      const [keyword, end] = at % 2 ? ['const', 'anyOf/0/properties/kind'] : ['type', 'anyOf/1/properties/least'];
      return {
        keyword,
        schemaPath: `${place}/${end}/${keyword}`,
        params: { allowedValue: 'category' },
        message: 'must be integer',
        get instancePath() {
          reads++;
          return `/conditions/${Math.floor(at / 2)}/${at % 2 ? 'kind' : 'least'}`;
        },
      };
    });
    const described = fieldErrors(errors, 'body');
    t.strictSame([described.length, described[0]?.pointer], [20, '/conditions/0/least']);
    return reads;
  };
  const [many, more] = [readsOf(1000), readsOf(2000)];
  t.ok(many > 0);
  t.equal(more, many);
  t.end();
});

t.test('all errors of a value are named, and the first one of a value with very many parts', (t) => {
  const Body = object({ items: Type.Array(object({ sku: Type.String() })) });
  const faultsOf = (count: number) => {
    try {
      validate(Body, { items: Array.from({ length: count }, (_, sku) => ({ sku })) } as never, 'body');
      return [];
    } catch (error) {
      return (error as { errors: { pointer: string }[] }).errors.map(({ pointer }) => pointer);
    }
  };
  t.strictSame(faultsOf(2), ['/items/0/sku', '/items/1/sku']);
  t.strictSame(faultsOf(20_000), ['/items/0/sku']);
  const many = Array.from({ length: 20_000 }, (_, number) => ({ sku: String(number) }));
  t.equal(validate(Body, { items: many }, 'body').items.length, many.length, 'a right one has no limit');
  t.end();
});

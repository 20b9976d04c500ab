/**
 * Validation of requests and serialization of responses by their schemas.
 */
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { Country } from '../../country/country.ts';
import { nullable, object, Type } from '../schemas.ts';
import { serialize } from '../serializer.ts';
import { validate } from '../validation.ts';

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

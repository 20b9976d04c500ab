import t from 'tap';

const circular: Record<string, unknown> = { name: 'circular' };
circular.self = circular;

t.test('values that JSON does not have', async (t) => {
  t.fail('a BigInt', { big: 10n });
  t.fail('a circle', { circular });
  t.equal(10n, 11n, 'two BigInts');
});
t.test('a date that is none', async (t) => {
  t.fail('a date', { never: new Date(Number.NaN) });
});

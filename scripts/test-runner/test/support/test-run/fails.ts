import t from 'tap';

t.test('a rule', async (t) => {
  await t.test('of a part', async (t) => {
    t.comment('said before');
    t.strictSame({ amount: 1 }, { amount: 2 }, 'the amount');
  });
});

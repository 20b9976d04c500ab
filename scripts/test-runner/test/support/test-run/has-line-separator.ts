import t from 'tap';

t.test('a name with \u2028 in it', async (t) => {
  t.comment('said \u2028 and \r too');
  t.equal('one\u2028two', 'one\u2028three', 'a value with \u2028 in it');
});

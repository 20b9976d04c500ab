import t from 'tap';

t.test('gives up', async (t) => {
  t.bailout('no more paper');
});

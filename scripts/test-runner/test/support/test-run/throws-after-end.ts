import t from 'tap';

t.test('a timer that outlives its test', async (t) => {
  setTimeout(() => {
    throw new Error('thrown after the end');
  }, 500);
  t.pass('the test itself');
});

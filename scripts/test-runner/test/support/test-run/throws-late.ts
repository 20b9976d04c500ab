import t from 'tap';

t.test('an error that nobody awaits', async (t) => {
  setTimeout(() => {
    throw new Error('late');
  }, 1);
  await new Promise((resolve) => setTimeout(resolve, 50));
  t.pass('the test itself');
});

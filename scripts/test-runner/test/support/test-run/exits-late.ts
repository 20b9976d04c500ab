import t from 'tap';

t.test('a timer that ends the process', async (t) => {
  setTimeout(() => process.exit(0), 500);
  t.pass('the test itself');
});

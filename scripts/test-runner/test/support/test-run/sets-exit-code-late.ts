import t from 'tap';

t.test('the exit code of the process, set late', async (t) => {
  setTimeout(() => (process.exitCode = 3), 500);
  t.pass('the test itself');
});

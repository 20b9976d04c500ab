import t from 'tap';

t.teardown(() => void process.stdout.write('a line without an end'));
t.test('fails', async (t) => {
  console.log('said by the test');
  t.fail('on purpose');
});

import t from 'tap';

t.test('nothing comes', async () => {
  await new Promise(() => {});
});

import t from 'tap';

t.test('a long list', async (t) => {
  const lines = (text: string) => Array.from({ length: 3000 }, (_, number) => `${text} ${number}`);
  t.strictSame(lines('found'), lines('wanted'));
});

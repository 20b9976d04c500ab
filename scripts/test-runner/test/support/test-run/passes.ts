import t from 'tap';

t.test('a variable that another file has set is gone, and so is its folder', async (t) => {
  t.equal(process.env.SET_BY_A_FILE, undefined);
  t.match(process.cwd(), /\w/);
});

t.test('npm in a test says what it always says', async (t) => {
  t.equal(process.env.npm_config_loglevel, undefined);
});

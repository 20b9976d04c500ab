import { tmpdir } from 'node:os';
import t from 'tap';

process.env.SET_BY_A_FILE = 'yes';
process.chdir(tmpdir());
t.test('the process is changed', async (t) => {
  t.equal(process.env.SET_BY_A_FILE, 'yes');
});

import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';

t.test('a promise that nobody awaits', async (t) => {
  void sleep(500).then(() => Promise.reject(new Error('rejected late')));
  t.pass('the test itself');
});

import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';

t.test('takes longer than what others have left', async (t) => {
  await sleep(1500);
  t.pass('undisturbed');
});

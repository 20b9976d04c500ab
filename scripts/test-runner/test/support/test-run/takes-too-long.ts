/**
 * A test file for the tests of the workers: it takes longer than it may, and fails after that.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';

t.setTimeout(100);
t.test('waits', async () => {
  await sleep(1500);
  throw new Error('too late');
});

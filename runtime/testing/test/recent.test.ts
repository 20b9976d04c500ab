/**
 * What is kept of the log of boxes for a failure.
 */
import t from 'tap';
import { describeSince, now, openTestLog } from '../recent.ts';

const log = openTestLog();

t.test('an error is kept with its stack, however many lines follow it', (t) => {
  log.error(new Error('of another test'));
  const start = now();
  log.info('before');
  log.error(new Error('the disk is full'), 'first');
  log.error({ at: 1 }, 'second');
  const before = describeSince(start);
  t.match(before, /^error: first\n {2}Error: the disk is full\n {6}at .*recent\.test\.ts:\d+:.*\nerror: second at=1$/s);
  for (let line = 0; line < 2500; line++) log.info('a request');
  t.equal(describeSince(start), before, 'each once, in their order');
  log.error('third');
  t.equal(describeSince(start), `${before}\nerror: third`);
  t.equal(describeSince(now()), '');
  t.end();
});

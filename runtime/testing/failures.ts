/**
 * Failures that say what the box has logged: an assertion that fails has it in its diagnostics, as `log`.
 */
import { describeSince, type Moment, now } from './recent.ts';

/** A test of tap. All assertions and errors that fail it call `fail`. */
interface FailingTest {
  fail(...messageAndExtra: unknown[]): boolean;
  on(event: 'subtestStart', listener: (subtest: object) => void): unknown;
}

const prepared = new WeakSet<object>();

/** Shows the log of the requests of a test, and of each of its subtests, with their failures. */
export function showLogOfFailures(t: object): void {
  if (!isTest(t) || prepared.has(t)) return;
  prepared.add(t);
  addLog(t, now());
  t.on('subtestStart', (subtest) => showLogOfFailures(subtest));
}

/** Tasks of other programs than tap, such as rigs, are none. */
function isTest(t: object): t is FailingTest {
  return 'fail' in t && typeof t.fail === 'function' && 'on' in t && typeof t.on === 'function';
}

function addLog(t: FailingTest, start: Moment): void {
  const fail = t.fail;
  t.fail = (...given) => {
    const log = describeSince(start);
    if (log === '') return fail.apply(t, given);
    const last = given.at(-1);
    const hasExtra = typeof last === 'object' && last !== null;
    const extra = { ...(hasExtra && last), log: `${log}\n` };
    return fail.apply(t, [...(hasExtra ? given.slice(0, -1) : given), extra]);
  };
}

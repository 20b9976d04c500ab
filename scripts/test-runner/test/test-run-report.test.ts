/**
 * What a run of the tests shows of a failure: values of all kinds, the place in the test, what the file wrote, and how to
 * repeat it.
 */
import t, { type Test } from 'tap';
import { root } from '../../test/support/stack.ts';
import { printCounts, printFile, printLate } from '../report.ts';
import { pathOf, runInOne } from './support/run-files.ts';

/** Runs files in one worker. @returns what is printed of them, and whether they count as passed */
async function printed(t: Test, ...names: string[]): Promise<{ text: string; passed: boolean }> {
  const { results, late } = await runInOne(...names);
  const log = t.capture(console, 'log');
  for (const result of results) printFile(result, root, 7);
  for (const failure of late) printLate(failure, root, 7);
  const passed = printCounts(results, late);
  log.restore();
  return { text: log.args().join('\n'), passed };
}

t.test('values that JSON does not have', async (t) => {
  const { text } = await printed(t, 'odd-values');
  t.match(text, '{ big: 10n }');
  t.match(text, 'self: [Circular *1] }');
  t.match(text, /-11n\n\s+\+10n/);
  t.match(text, /Invalid time value\n\s+at scripts\/test-runner\/test\/support\/test-run\/odd-values\.ts:12:5\n/);
});

t.test('a line separator of Unicode cuts no line', async (t) => {
  const { text } = await printed(t, 'has-line-separator');
  t.ok(/-one\\u2028three\n\s+\+one\\u2028two/.test(text), 'the difference');
  t.ok(text.includes('✗ a name with \\u2028 in it › a value with \\u2028 in it'));
  t.ok(text.includes('said \\u2028 and \\u000d too'));
});

t.test('what a file writes to standard output, in its teardown too', async (t) => {
  const { text } = await printed(t, 'writes-in-teardown', 'passes', 'fails');
  t.match(text, /what it wrote to standard output:\n\s+said by the test\n\s+a line without an end\n/);
  t.equal(text.split('what it wrote').length, 2, 'of that file only');
});

t.test('the first lines of a long difference', async (t) => {
  const { text } = await printed(t, 'differs-much');
  t.match(text, /… and \d{4} more lines/);
  t.ok(text.split('\n').length < 150);
});

t.test('the place in the test of what a callee throws', async (t) => {
  const { text } = await printed(t, 'throws-in-callee', 'throws-in-library');
  t.match(text, `at ${pathOf('throws-in-callee')}:5:3\n`);
  t.match(text, "  wholeNumber('none');\n      --^");
  t.match(text, `at ${pathOf('throws-in-library')}:3:1\n`);
  t.notMatch(text, 'tapCaught');
  t.notMatch(text, 'await import(href)', 'nor the source of the worker');
});

t.test('the reason of a bail-out', async (t) => {
  const { text, passed } = await printed(t, 'bails-out', 'passes');
  t.match(text, '✗ bailed out: no more paper\n');
  t.match(text, `\nok - ${pathOf('passes')}`);
  t.notOk(passed);
});

t.test('what ran before in the same process, and how to repeat it', async (t) => {
  const { text } = await printed(t, 'passes', 'tears-down', 'fails');
  const [, shown = ''] = text.split('run before it in the same process:\n');
  t.match(shown, new RegExp(`^ +${pathOf('passes')}\n +${pathOf('tears-down')}\n .*npm test -- --seed 7 --jobs 1 `));
});

t.test('a failure after the end of its file fails the run', async (t) => {
  const { text, passed } = await printed(t, 'rejects-late', 'passes');
  t.notOk(passed);
  t.match(
    text,
    `\nnot ok - after the end of ${pathOf('rejects-late')}\n  ✗ rejected late\n    at ${pathOf('rejects-late')}:5:`,
  );
  t.match(text, `1 failures after the end of their file:\n  ${pathOf('rejects-late')}: rejected late\n`);
});

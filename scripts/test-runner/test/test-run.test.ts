/**
 * The workers that run test files: what a file leaves behind fails it and reaches no other, a process that dies fails
 * its file only, and every kind of failure is reported.
 */
import { join } from 'node:path';
import t from 'tap';
import { readCommandLine } from '../../../tools/command-line.ts';
import { root } from '../../test/support/stack.ts';
import type { FileResult } from '../file-result.ts';
import { commandLine, optionsOf } from '../options.ts';
import { shuffled } from '../order.ts';
import { allFiles, filesOfSuite, namedFiles } from '../suites.ts';
import { failuresOf, pathOf, runInOne } from './support/run-files.ts';

/** Runs these files in one worker, in this order. None fails after its end. */
async function run(...names: string[]): Promise<FileResult[]> {
  const { results, late } = await runInOne(...names);
  t.strictSame(
    results.map(({ file }) => file),
    names.map(pathOf),
    'each file has one result',
  );
  t.strictSame(late, []);
  return results;
}

const outcomes = (results: FileResult[]) => results.map(({ ok }) => ok);

t.test('files of one process do not see what others have changed in it', async (t) => {
  const [changing, passing] = await run('changes-process', 'passes');
  t.strictSame(outcomes([changing, passing] as FileResult[]), [true, true]);
});

t.test('a failed assertion has its path, its difference and its place', async (t) => {
  const [failing, passing] = await run('fails', 'passes');
  t.strictSame(outcomes([failing, passing] as FileResult[]), [false, true]);
  const failed = failing?.asserts.find(({ ok }) => !ok);
  t.strictSame(failed?.path, [pathOf('fails'), 'a rule', 'of a part', 'the amount']);
  t.match(failed?.diagnostics?.diff, /-\s+"amount": 2,\n\+\s+"amount": 1,/);
  t.match(failed?.diagnostics?.at, { fileName: /fails\.ts$/, lineNumber: 6 });
  t.strictSame(failing?.comments, ['said before']);
});

t.test('a file that leaves a server or a process fails, and one that ends its server does not', async (t) => {
  for (const [name, left] of [
    ['leaves-server', 'TCPServerWrap'],
    ['leaves-unix-server', 'UNIX server'],
    ['leaves-udp-socket', 'UDPWrap'],
    ['leaves-process', 'ProcessWrap'],
    ['leaves-thread', 'worker thread'],
  ] as const) {
    const results = await run(name, 'tears-down');
    t.strictSame(results.map(failuresOf), [[`the file leaves open: ${left}`], []]);
  }
  t.strictSame((await run('leaves-unreferenced')).map(failuresOf), [[]]);
});

t.test('a process that dies fails the file that it runs; others run in a new one', async (t) => {
  const [dead, next] = await run('exits', 'passes');
  t.match(failuresOf(dead as FileResult).at(-1), 'the process of the test file ended: exit SIGKILL');
  t.ok(next?.ok);
});

t.test('a test that waits for nothing fails at once, and an error that nobody awaits fails its test', async (t) => {
  const [waiting, late, next] = await run('waits-forever', 'throws-late', 'passes');
  t.strictSame(outcomes([waiting, late, next] as FileResult[]), [false, false, true]);
  t.match(failuresOf(late as FileResult).join(), 'late');
});

t.test('a file without a test fails, and one that is skipped says why', async (t) => {
  const [empty, skipped] = await run('has-no-test', 'skips');
  t.strictSame(failuresOf(empty as FileResult), ['the file has no test']);
  t.match(skipped, { ok: true });
  t.strictSame(
    skipped?.asserts.map(({ skip }) => skip),
    ['a program is not installed'],
  );
});

t.test('a seed is an order of the files, whichever are run and however they are named', async (t) => {
  const files = Array.from({ length: 100 }, (_, number) => `${number}.test.ts`);
  const order = shuffled(files, 1);
  t.strictSame(shuffled([...files].reverse(), 1), order);
  t.notSame(shuffled(files, 2), order);
  t.strictSame([...order].sort(), [...files].sort(), 'with every file once');
  const some = order.filter((_, place) => place % 7 === 0);
  t.strictSame(shuffled([...some].sort(), 1), some);
});

t.test('files are named by any path, each is run once', async (t) => {
  const file = 'scripts/checks/test/words.test.ts';
  for (const name of [
    file,
    `./${file}`,
    join(root, file),
    `vendor/../${file}`,
    `scripts/./checks/test//words.test.ts`,
  ]) {
    t.strictSame(namedFiles([name], root), [file], name);
  }
  const [first, ...others] = namedFiles([file, 'scripts/checks', join(root, 'scripts')], root);
  t.equal(first, file);
  t.strictSame([file, ...others].sort(), namedFiles(['scripts/'], root));
  t.strictSame(namedFiles(['.'], root), allFiles(root));
  t.throws(() => namedFiles(['..'], root), {
    message: 'no test file is called .., and no folder of that name has any',
  });
});

t.test('each test file belongs to a suite', async (t) => {
  const [rules, faults] = [filesOfSuite('rules', root), filesOfSuite('faults', root)];
  const everywhere = namedFiles(
    [
      'durable-files',
      'runtime',
      'control-plane',
      'installer',
      'vendor',
      'examples',
      'scripts',
      'tools',
      'rigs',
      'shipped',
    ],
    root,
  );
  t.strictSame([...new Set([...rules, ...faults])].sort(), everywhere.sort());
  t.ok(rules.includes('vendor/cart/test/races.test.ts') && faults.includes('vendor/cart/test/races.test.ts'));
  t.notOk(rules.some((file) => file.startsWith('rigs/')));
});

const read = (...parameters: string[]) => {
  const passed = readCommandLine(commandLine, parameters);
  if (passed === null) throw new Error('help is not asked for');
  return optionsOf(passed);
};

t.test('figures that cannot be written are refused before the run', async (t) => {
  const message = '--figures: none/figures.json cannot be written, as its folder is missing or is not yours';
  t.throws(() => read('--figures', 'none/figures.json'), { message });
  t.equal(read('--figures', 'figures.json').figures, 'figures.json');
});

t.test('a wrong command line says what is wrong', async (t) => {
  t.throws(() => read('--jobs', 'many'), { message: '--jobs takes a whole number of at least 1' });
  t.throws(() => read('--suite', 'none'), { message: 'there is no suite none' });
  t.throws(() => read('--unknown'), /unknown/i);
  t.throws(() => namedFiles(['vendor/none'], root), {
    message: 'no test file is called vendor/none, and no folder of that name has any',
  });
});

t.test('a file that takes too long fails by itself, and fails no other with what it still does', async (t) => {
  const [late, ...others] = await run('takes-too-long', 'leaves-server', 'passes');
  t.match(failuresOf(late as FileResult).join(), /timeout/);
  t.strictSame(others.map(failuresOf), [['the file leaves open: TCPServerWrap'], []]);
});

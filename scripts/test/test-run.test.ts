/**
 * The workers that run test files: what a file leaves behind fails it and reaches no other, a process that dies fails
 * its file only, and every kind of failure is reported.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, rm } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { processesWith, temporaryFolder } from '@carton/runtime/testing';
import t from 'tap';
import { readOptions } from '../test-run/options.ts';
import { shuffled } from '../test-run/order.ts';
import { filesOfSuite, namedFiles } from '../test-run/suites.ts';
import { type FileResult, runFiles } from '../test-run/workers.ts';
import { root } from './support/stack.ts';

const pathOf = (name: string) => `scripts/test/support/test-run/${name}.ts`;

/** Runs these files in one worker, in this order. */
async function run(...names: string[]): Promise<FileResult[]> {
  const results: FileResult[] = [];
  await runFiles({
    files: names.map(pathOf),
    hasOwnProcess: () => false,
    workers: 1,
    nodeOptions: ['--conditions=workspace-source'],
    environment: { ...process.env, npm_config_loglevel: 'silent' },
    onResult: (result) => results.push(result),
  });
  t.strictSame(
    results.map(({ file }) => file),
    names.map(pathOf),
    'each file has one result',
  );
  return results;
}

const failuresOf = ({ asserts }: FileResult) => asserts.filter(({ ok }) => !ok).map(({ name }) => name);
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
  const [server, child, ended] = await run('leaves-server', 'leaves-process', 'tears-down');
  t.strictSame(failuresOf(server as FileResult), ['the file leaves open: TCPServerWrap']);
  t.strictSame(failuresOf(child as FileResult), ['the file leaves open: ProcessWrap']);
  t.ok(ended?.ok);
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

t.test('a seed is an order', async (t) => {
  const files = Array.from({ length: 100 }, (_, number) => `${number}.test.ts`);
  t.strictSame(shuffled(files, 1), shuffled(files, 1));
  t.notSame(shuffled(files, 1), shuffled(files, 2));
  t.strictSame(shuffled(files, 1).sort(), [...files].sort(), 'with every file once');
});

t.test('each test file belongs to a suite', async (t) => {
  const [rules, faults] = [filesOfSuite('rules', root), filesOfSuite('faults', root)];
  const everywhere = namedFiles(
    ['runtime', 'control-plane', 'installer', 'vendor', 'scripts', 'tools', 'rigs', 'shipped'],
    root,
  );
  t.strictSame([...new Set([...rules, ...faults])].sort(), everywhere.sort());
  t.ok(rules.includes('vendor/cart/test/races.test.ts') && faults.includes('vendor/cart/test/races.test.ts'));
  t.notOk(rules.some((file) => file.startsWith('rigs/')));
});

t.test('a wrong command line says what is wrong', async (t) => {
  t.throws(() => readOptions(['--jobs', 'many']), { message: '--jobs takes a whole number of at least 1' });
  t.throws(() => readOptions(['--suite', 'none']), { message: 'there is no suite none' });
  t.throws(() => readOptions(['--unknown']), /unknown/i);
  t.throws(() => namedFiles(['vendor/none'], root), {
    message: 'no test file is called vendor/none, and no folder of that name has any',
  });
});

t.test('a file that takes too long fails by itself, and fails no other with what it still does', async (t) => {
  const [late, ...others] = await run('takes-too-long', 'leaves-server', 'passes');
  t.match(failuresOf(late as FileResult).join(), /timeout/);
  t.strictSame(others.map(failuresOf), [['the file leaves open: TCPServerWrap'], []]);
});

t.test('a signal ends the run with what it has started', async (t) => {
  const folder = await temporaryFolder('signal-');
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const { TEST_DATABASE_URL: _, ...environment } = process.env;
  const words = ['--conditions=workspace-source', 'scripts/test.ts', 'runtime/background/test/events.test.ts'];
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    const child = spawn(process.execPath, words, {
      cwd: root,
      env: { ...environment, TMPDIR: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = once(child, 'close');
    const said = text(child.stderr);
    await once(child.stdout, 'data');
    t.not((await readdir(folder)).length, 0, 'the server runs');
    child.kill(signal);
    child.stdout.resume();
    t.strictSame(await ended, [code, null]);
    t.match(await said, `ended by ${signal}: 0 of 1 files were run`);
    t.strictSame(await readdir(folder), [], 'no file is left');
    t.strictSame(processesWith(folder), [], 'nor a process');
  }
});

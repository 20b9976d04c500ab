/**
 * What fails after the last line of a test file: it fails the run, and names the file that it comes from. A file
 * that only runs meanwhile has its own verdict.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { runFiles } from '../workers.ts';
import { failuresOf, pathOf, runInOne } from './support/run-files.ts';

const ownFailures = [
  ['rejects-late', 'rejected late'],
  ['throws-after-end', 'thrown after the end'],
  ['asserts-after-end', 'test assertion after Promise resolution'],
] as const;

for (const [name, message] of ownFailures) {
  t.test(`${name}, as the last file and while another runs`, async (t) => {
    for (const others of [[], ['takes-a-while'], ['takes-a-while', 'passes']]) {
      const { results, late } = await runInOne(name, ...others);
      t.ok(results.length === others.length + 1 && results.every(({ ok }) => ok), 'the files themselves pass');
      t.match(late, exactly([{ name: message, isKnown: true, stack: new RegExp(`/${name}\\.ts:`) }]));
      t.equal(late[0]?.files[0], pathOf(name));
    }
  });
}

t.test('a failure names the files that the process has run, the likeliest first', async (t) => {
  const { late } = await runInOne('passes', 'rejects-late', 'tears-down');
  t.strictSame(late[0]?.files, ['rejects-late', 'tears-down', 'passes'].map(pathOf));
});

t.test('a file that sets the exit code fails; one that does so late fails the run', async (t) => {
  const { results, late } = await runInOne('sets-exit-code', 'passes');
  t.strictSame(results.map(failuresOf), [['the file sets process.exitCode to 3'], []]);
  t.strictSame(late, []);
  const after = await runInOne('passes', 'sets-exit-code-late');
  t.strictSame(after.results.map(failuresOf), [[], []]);
  t.match(after.late, exactly([{ name: 'the process ended after its last file: exit 3', isKnown: false }]));
  t.strictSame(after.late[0]?.files, ['sets-exit-code-late', 'passes'].map(pathOf));
});

t.test('a process that a file ends late, with whatever code', async (t) => {
  const { results, late } = await runInOne('exits-late');
  t.strictSame(results.map(failuresOf), [[]]);
  t.match(
    late,
    exactly([{ name: 'the process ended after its last file: exit 0', files: exactly([pathOf('exits-late')]) }]),
  );
});

t.test('a file whose process another has ended runs again', async (t) => {
  for (const [name, isKnown] of [
    ['exits-late', true],
    ['kills-late', false],
  ] as const) {
    const { results, late } = await runInOne(name, 'takes-a-while', 'passes');
    t.strictSame(
      results.map(({ file }) => file),
      [name, 'takes-a-while', 'passes'].map(pathOf),
      'each has one result',
    );
    t.strictSame(results.map(failuresOf), [[], [], []]);
    t.match(late, exactly([{ name: /^the process ended while it ran .*takes-a-while\.ts: exit /, isKnown }]));
    t.ok(late[0]?.files.includes(pathOf(name)));
  }
});

t.test('a file that ends its own process fails alone, wherever it runs', async (t) => {
  const { results, late } = await runInOne('tears-down', 'exits', 'passes');
  t.strictSame(
    results.map(({ ok }) => ok),
    [true, false, true],
  );
  t.strictSame(late, []);
});

t.test('a process that does not end says what keeps it', async (t) => {
  const { results, late } = await runInOne('never-ends');
  t.strictSame(results.map(failuresOf), [[]]);
  t.strictSame(
    late.map(({ name }) => name),
    ['the process does not end after its last file: Timeout'],
  );
});

t.test('a run that fails itself ends its workers', async (t) => {
  const files = ['passes', 'takes-too-long', 'takes-a-while'].map(pathOf);
  const running = runFiles({
    files,
    hasOwnProcess: () => false,
    workers: 3,
    nodeOptions: ['--conditions=workspace-source'],
    environment: { ...process.env, npm_config_loglevel: 'silent' },
    onResult: () => {
      throw new Error('cannot be printed');
    },
    onLate: () => {},
  });
  await t.rejects(running, { message: 'cannot be printed' });
  const children = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && isWorkerOfThis(pid));
  t.strictSame(children, []);
});

function isWorkerOfThis(pid: string): boolean {
  try {
    const parent = /^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return (
      Number(parent) === process.pid && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('test-runner/worker.ts')
    );
  } catch {
    return false; // it has ended
  }
}

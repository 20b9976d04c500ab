/**
 * The list of mutations fits the sources, and a fault counts as noticed only if an assertion fails.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { missingPrograms } from '@carton/runtime/testing';
import t from 'tap';
import { runScript } from '../../test/run-script.ts';
import { copyCheckout } from '../copy.ts';
import { mutationList } from '../list/index.ts';
import { checkMutations, type Mutation, mutate, selectMutations } from '../mutation.ts';
import { readOutcome, runTestFile } from '../test-run.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const all = selectMutations(mutationList, []);

t.test('each mutation changes text that its file has exactly once, and names tests that exist', async (t) => {
  t.strictSame(
    (await checkMutations(all, root)).outdated,
    [],
    'change the list with the sources: npm run mutations -- --only …',
  );
  for (const { rule, text, replacement, tests } of all) {
    t.ok(text !== replacement && tests.length > 0, rule);
  }
});

t.test('each subject has mutations, with rules of their own', async (t) => {
  for (const [subject, mutations] of Object.entries(mutationList)) t.ok(mutations.length >= 12, subject);
  t.ok(all.length >= 60);
  t.equal(new Set(all.map(({ rule }) => rule)).size, all.length);
});

t.test('mutations are selected by subject or by a part of the rule', async (t) => {
  const one: Mutation = { rule: 'Half is rounded up', file: 'a.ts', text: '1', replacement: '2', tests: ['a.test.ts'] };
  const other = { ...one, rule: 'Nobody has more rights' };
  const list = { money: [one], rights: [other], stock: [{ ...one, rule: 'Stock is counted' }] };
  const rulesOf = (...only: string[]) => selectMutations(list, only).map(({ rule }) => rule);
  t.equal(rulesOf().length, 3);
  t.strictSame(rulesOf('rights'), ['Nobody has more rights']);
  t.strictSame(rulesOf('HALF', 'stock'), ['Half is rounded up', 'Stock is counted']);
  t.strictSame(rulesOf('nothing'), []);
});

t.test('a text that is missing, or there twice, does not fit', async (t) => {
  const mutation: Mutation = {
    rule: 'The rule',
    file: 'a.ts',
    text: 'a + b',
    replacement: '$& - b',
    tests: ['a.test.ts'],
  };
  t.equal(mutate('return a + b;', mutation), 'return $& - b;', 'the replacement is taken literally');
  t.throws(() => mutate('return a;', mutation), { message: 'The rule: a.ts no longer has the text' });
  t.throws(() => mutate('a + b + a + b', mutation), { message: 'The rule: a.ts has the text 2 times' });
  const checkout = t.testdir({ 'a.ts': 'a + b + a + b', 'c.ts': 'a + b', 'a.test.ts': '' });
  const elsewhere = { ...mutation, file: 'b.ts', tests: ['b.test.ts'] };
  const fitting = { ...mutation, file: 'c.ts' };
  t.strictSame(await checkMutations([mutation, elsewhere, fitting], checkout), {
    fitting: [fitting],
    outdated: ['The rule: a.ts has the text 2 times', 'The rule: there is no b.ts', 'The rule: there is no b.test.ts'],
  });
});

t.test('only a failed assertion is red', async (t) => {
  const checkout = t.testdir({
    'package.json': '{ "type": "module" }',
    node_modules: t.fixture('symlink', join(root, 'node_modules')),
    'green.test.ts': "import t from 'tap';\nt.ok(true);",
    'red.test.ts': "import t from 'tap';\nt.test('adding', async (t) => {\n  t.equal(1 + 1, 3, 'the sum');\n});",
    'throws.test.ts': "import t from 'tap';\nt.test('adding', async () => {\n  throw new Error('no sum');\n});",
    'import.test.ts': "import t from 'tap';\nimport { sum } from './green.test.ts';\nt.equal(sum, 3);",
    'ends.test.ts': "import t from 'tap';\nt.ok(true);\nprocess.exit(7);",
  });
  const names = ['green', 'red', 'throws', 'import', 'ends'];
  const outcomes = await Promise.all(names.map((name) => runTestFile(checkout, `${name}.test.ts`, process.env)));
  const [green, red, throws, imports, ends] = outcomes.map(({ state, failure }) => ({ state, failure }));
  t.strictSame(green, { state: 'green', failure: null });
  t.strictSame(red, { state: 'red', failure: 'adding > the sum (red.test.ts:3)' });
  t.strictSame(throws, { state: 'broken', failure: 'adding > no sum (throws.test.ts:3)' });
  t.match(imports, { state: 'broken', failure: /SyntaxError: .* does not provide an export named 'sum'/ });
  t.strictSame(ends, { state: 'broken', failure: 'exit code 7' });
  t.strictSame(readOutcome('TAP version 14\nok 1 - begun\n', '', null), { state: 'broken', failure: 'exit code null' });
});

const needsGit = { skip: missingPrograms('git') };
t.test('a copy has the files and packages of the checkout, and its own workspaces', needsGit, async (t) => {
  const folder = t.testdir({
    checkout: {
      '.gitignore': 'node_modules/\n',
      'a.ts': 'export const a = 1;',
      vendor: { cart: { 'index.ts': 'export const cart = 1;', node_modules: { own: { 'index.js': '' } } } },
      node_modules: {
        plain: { 'index.js': '' },
        '@scope': { one: { 'index.js': '' } },
        '@carton': { cart: t.fixture('symlink', '../../vendor/cart') },
      },
    },
  });
  const [checkout, copy] = [join(folder, 'checkout'), join(folder, 'copy')];
  execFileSync('git', ['init', '--quiet', checkout]);
  await copyCheckout(checkout, copy);
  writeFileSync(join(copy, 'node_modules/@carton/cart/index.ts'), 'export const cart = 2;');
  t.equal(readFileSync(join(copy, 'vendor/cart/index.ts'), 'utf8'), 'export const cart = 2;');
  t.equal(readFileSync(join(checkout, 'vendor/cart/index.ts'), 'utf8'), 'export const cart = 1;');
  t.equal(readFileSync(join(copy, 'a.ts'), 'utf8'), 'export const a = 1;');
  for (const path of ['node_modules/plain', 'node_modules/@scope/one', 'vendor/cart/node_modules']) {
    t.equal(readlinkSync(join(copy, path)), join(checkout, path), path);
  }
});

t.test('the command names what is wrong before it runs anything', async (t) => {
  const run = (...parameters: string[]) => runScript('scripts/commands/mutations.ts', parameters, {}, root);
  const checkout = t.testdir({ runtime: { money: { 'money.ts': '' } } });
  const [unknown, jobs, outdated, help] = await Promise.all([
    run('--only', 'nothing has this'),
    run('--jobs', '0'),
    run('--base', checkout, '--only', 'half a minor unit'),
    run('--help'),
  ]);
  t.match(unknown, { status: 2, stderr: /no mutation has nothing has this/ });
  t.match(jobs, { status: 2, stderr: /--jobs is not a number/ });
  t.match(outdated, {
    status: 1,
    stdout: '',
    stderr: /does not fit the sources:\nHalf a minor unit .* no longer has the text/,
  });
  t.match(help, { status: 0, stdout: /--only/ });
});

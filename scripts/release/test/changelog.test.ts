/**
 * Files in changes/ are read, `npm run check` names what is wrong with them, and a release makes its section, its commit
 * and its tag of them: tried in small repositories.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { exactly, missingPrograms, sourceRoot } from '@carton/runtime/testing';
import t from 'tap';
import { runScript } from '../../../tools/test/run-script.ts';
import { isChecked } from '../../checks/checks.ts';
import {
  audiences,
  concerns,
  kinds,
  type Moment,
  moments,
  mostCharacters,
  parseChange,
  readChanges,
} from '../change-files.ts';
import { headOf, requireNewSection, sectionOf, writeSection } from '../changelog-text.ts';
import { commitRelease, git, requireReleasable } from '../git.ts';

const root = dirname(sourceRoot);
const skip = missingPrograms('git');
const lines = { concerns: 'box', for: 'store', kind: 'fixed', upgrade: 'nothing' };
const sentence = 'A refund in full no longer leaves an amount due.';

type Line = keyof typeof lines | 'breaking' | 'details' | Moment;

/** A line that is changed to null is left out. */
const fileOf = (changed: Partial<Record<Line, string | null>> = {}, text = sentence) =>
  `---\n${Object.entries({ ...lines, ...changed })
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('')}---\n${text}\n`;
const knowing = (subjects: string[] = []) => ({ subjects, anchors: new Set(['prices']) });
const faultsOf = (content: string, subjects: string[] = [], name = 'refund.md') =>
  parseChange(`changes/${name}`, content, knowing(subjects)).faults;

t.test('a change is read', async (t) => {
  const content = fileOf({
    for: 'integrator, store',
    breaking: 'yes',
    upgrade: null,
    before: 'store, partner; if A is 0.1; Set B; then C.',
    after: 'store; always; Set D.',
    details: 'prices',
  });
  t.strictSame(parseChange('changes/refund.md', content, knowing()), {
    change: {
      file: 'changes/refund.md',
      concerns: 'box',
      for: ['store', 'integrator'],
      kind: 'fixed',
      breaking: true,
      actions: [
        { when: 'before', for: ['partner', 'store'], condition: 'if A is 0.1', text: 'Set B; then C.' },
        { when: 'after', for: ['store'], condition: null, text: 'Set D.' },
      ],
      details: 'prices',
      text: sentence,
    },
    faults: [],
  });
  const plain = { breaking: false, actions: exactly([]), details: null };
  t.match(parseChange('changes/refund.md', fileOf(), knowing()).change, plain);
  const twice = fileOf({ upgrade: null, at: 'store; always; Set A.\nat: store; if C; Set B.' });
  t.match(parseChange('changes/refund.md', twice, knowing()).change?.actions, { length: 2 });
});

t.test('what is malformed is a fault', async (t) => {
  const wrong: [string, RegExp][] = [
    [sentence, /does not begin with lines/],
    [fileOf().replace('kind: fixed\n', ''), /kind is not one of security, changed/],
    [fileOf().replace('kind: fixed', 'kind: fixed\nkind: added'), /kind is a duplicate/],
    [fileOf().replace('kind: fixed', 'kind: fixed\nscope: cart'), /"scope: cart" is none of the lines/],
    [fileOf({ kind: 'toString' }), /kind is not one of/],
    [fileOf({ concerns: 'cart' }), /concerns is not one of box, /],
    [fileOf({ for: 'everyone' }), /for is not a list/],
    [fileOf({ for: 'store, store' }), /for is not a list/],
    [fileOf({ upgrade: '' }), /neither "upgrade: nothing" nor a line for before, at, after/],
    [fileOf({ upgrade: null }), /neither "upgrade: nothing" nor/],
    [fileOf({ upgrade: 'Set A.' }), /neither "upgrade: nothing" nor/],
    [fileOf({ at: 'store; always; Set A.' }), /or both/],
    [fileOf({ upgrade: null, at: 'Set A.' }), /at is not <audiences>; always, or if/],
    [fileOf({ upgrade: null, at: 'store; Set A.' }), /at is not <audiences>/],
    [fileOf({ upgrade: null, at: 'guest; always; Set A.' }), /at is not <audiences>/],
    [fileOf({ upgrade: null, at: 'store; if A. B; Set A.' }), /at is not <audiences>/],
    [fileOf({ upgrade: null, at: 'store; always; do it' }), /at is not sentences/],
    [fileOf({ breaking: 'no' }), /breaking is yes, or the line is left out/],
    [fileOf({ details: 'amounts' }), /docs\/upgrading\.md has no heading #amounts/],
    [fileOf({}, ''), /text is not sentences/],
    [fileOf({}, 'wip'), /text is not sentences/],
    [fileOf({}, 'Without an end'), /text is not sentences/],
    [fileOf({}, 'Two.\n\nParagraphs.'), /text is not sentences in one line/],
    [fileOf({}, 'One. Two. Three. Four.'), /text is longer than 3 sentences/],
    [fileOf({}, `A${'a'.repeat(mostCharacters)}.`), /longer than 3 sentences or 400 characters/],
    [fileOf({ upgrade: null, at: `store; always; A${'a'.repeat(mostCharacters)}.` }), /at is longer/],
  ];
  for (const [content, fault] of wrong) {
    const faults = faultsOf(content);
    t.equal(faults.length, 1, content);
    t.match(faults[0], fault);
  }
  t.match(faultsOf(fileOf(), [], 'Refund in full.md'), exactly([/its name is not lower-case words/]));
  t.match(faultsOf(fileOf(), [], 'refund.txt'), exactly([/its name is not lower-case words/]));
  t.strictSame(faultsOf(fileOf({}, `${'A'.repeat(mostCharacters - 1)}.`)), [], 'the limit itself is allowed');
  t.strictSame(faultsOf(fileOf({}, 'One. Two! Three?')), []);
});

t.test('the subject of a commit is a fault, whatever its case and its end', async (t) => {
  const subjects = ['refunds in full leave nothing due'];
  const repeated = /the text repeats the subject of a commit, "Refunds in full leave nothing due\."/;
  t.match(faultsOf(fileOf({}, 'Refunds in full leave nothing due.'), subjects), exactly([repeated]));
  t.match(faultsOf(fileOf({}, `${sentence} Refunds in full leave nothing due.`), subjects), exactly([repeated]));
  t.strictSame(faultsOf(fileOf(), subjects), []);
});

t.test('a section says what to do, then each change once under all who are concerned', async (t) => {
  const read = (name: string, content: string) => parseChange(`changes/${name}.md`, content, knowing()).change ?? [];
  const changes = [
    read('a', fileOf({ for: 'integrator, store', concerns: 'api', kind: 'added', details: 'prices' }, 'For two.')),
    read('b', fileOf({ for: 'integrator', upgrade: null, before: 'integrator; if C; Set A.' }, 'For one.')),
    read(
      'c',
      fileOf(
        { for: 'integrator', breaking: 'yes', upgrade: null, before: 'integrator; always; Set B.', details: 'prices' },
        'It breaks.',
      ),
    ),
  ].flat();
  const packages = [{ name: '@carton/cart', from: '1.0.0', to: '1.0.1', because: [] }];
  const link = '[Details](docs/upgrading.md#prices)';
  t.equal(
    sectionOf({ title: '1.1.0 (2030-01-31)', head: 'From 1.0.0.', packages, changes }),
    [
      '## 1.1.0 (2030-01-31)',
      'From 1.0.0.',
      '### What to do',
      `#### ${moments.before}`,
      'Integrators:',
      `1. Set B. ${link}\n2. Only if C: Set A.`,
      `#### ${moments.at}`,
      'Nothing.',
      `#### ${moments.after}`,
      'Nothing.',
      `### For ${audiences.store} and ${audiences.integrator}`,
      `#### ${kinds.added}`,
      `- ${concerns.api}: For two. ${link}`,
      `### For ${audiences.integrator}`,
      `#### ${kinds.fixed}`,
      `- **Breaking.** ${concerns.box}: It breaks. ${link}\n- ${concerns.box}: For one.`,
      '### Versions of packages',
      'cart 1.0.1\n',
    ].join('\n\n'),
  );
});

t.test('the check reads the files of the project, and a release commits and tags', { skip }, async (t) => {
  t.ok(isChecked('changelog', '--', '--check'), 'npm run check runs it');
  const folder = t.testdir({
    '.gitignore': 'ignored\n',
    'CHANGELOG.md': '# Changelog\n\n## 1.0.0 (2030-01-01)\n\nOld.\n',
    'package.json': '{ "version": "1.0.0" }',
    docs: { 'upgrading.md': '# Upgrading\n' },
    changes: { 'README.md': '# Changes\n', 'refund.md': fileOf() },
  });
  git(folder, 'init', '-q');
  for (const [name, value] of [['name', 'Test'] as const, ['email', 'test@example.com'] as const])
    git(folder, 'config', `user.${name}`, value);
  git(folder, 'add', '-A');
  git(folder, 'commit', '-qm', 'A cart is emptied');
  const check = (...parameters: string[]) =>
    runScript(
      join(root, 'scripts/release/changelog.ts'),
      [...parameters, folder],
      { HOME: process.env.HOME ?? '' },
      root,
    );
  t.match(await check('--check'), { status: 1, stderr: 'no heading "From 1.0.0 to the next release"' });
  writeFileSync(join(folder, 'docs/upgrading.md'), '# Upgrading\n\n## From 1.0.0 to the next release\n');
  t.match(await check('--check'), { status: 0, stdout: '1 changes are described' });
  t.match(await check(), { status: 0, stdout: '(docs/upgrading.md#from-100-to-the-next-release)' });
  writeFileSync(join(folder, 'changes/cart.md'), fileOf({}, 'A cart is emptied.'));
  t.match(await check('--check'), { status: 1, stderr: 'changes/cart.md: the text repeats the subject of a commit' });
  t.match(await check(), { status: 1, stdout: /^$/ });

  t.throws(() => requireReleasable(folder, '1.1.0'), { message: /commit first[\s\S]*\?\? changes\/cart.md/ });
  writeFileSync(join(folder, 'changes/cart.md'), fileOf({ for: 'partner' }, 'A cart is empty after its order.'));
  git(folder, 'add', '-A');
  git(folder, 'commit', '-qm', 'Of carts');
  requireReleasable(folder, '1.1.0');
  t.throws(() => requireNewSection(folder, '1.0.0'), { message: /has release 1.0.0 already/ });
  requireNewSection(folder, '1.1.0');

  const { changes, faults } = readChanges(folder);
  t.strictSame(faults, []);
  const head = headOf(folder, '1.1.0');
  const section = sectionOf({ title: '1.1.0 (2030-01-31)', head, packages: [], changes });
  commitRelease(folder, '1.1.0', writeSection(folder, '1.1.0', section, changes), section);
  t.match(section, '(docs/upgrading.md#from-100-to-110)');
  t.match(readFileSync(join(folder, 'docs/upgrading.md'), 'utf8'), /^## From 1\.0\.0 to 1\.1\.0$/m);
  t.equal(
    readFileSync(join(folder, 'CHANGELOG.md'), 'utf8'),
    `# Changelog\n\n${section}\n## 1.0.0 (2030-01-01)\n\nOld.\n`,
  );
  t.strictSame(readdirSync(join(folder, 'changes')), ['README.md']);
  t.equal(git(folder, 'status', '--porcelain'), '');
  t.equal(git(folder, 'cat-file', '-t', 'v1.1.0'), 'tag\n', 'annotated');
  t.equal(git(folder, 'rev-parse', 'v1.1.0^{commit}'), git(folder, 'rev-parse', 'HEAD'));
  t.equal(git(folder, 'for-each-ref', '--format=%(contents)', 'refs/tags/v1.1.0'), `${section}\n`);
  t.throws(() => requireReleasable(folder, '1.1.0'), { message: /the tag v1.1.0 exists already/ });
});

t.test('an archive without a history is checked, too', { skip }, async (t) => {
  const folder = t.testdir({ changes: { 'refund.md': fileOf(), 'wrong.md': 'wip' } });
  t.match(readChanges(folder), {
    changes: exactly([{ file: 'changes/refund.md' }]),
    faults: exactly([/^changes\/wrong.md: /]),
  });
});

/**
 * `npm run check` fails where code cites a heading that the contract does not have, and where a document names a
 * command, a file or a heading that does not exist.
 */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sourceRoot } from '@carton/runtime/testing';
import t from 'tap';
import { isChecked } from '../../checks/checks.ts';
import { checkCitations, readContract } from '../citations.ts';
import { checkMessages, checkReferences } from '../references.ts';

const contract = readContract(`# The contract

## Rules

1. Keys are opaque.
2. Bodies are JSON.

### Details

3. Of one page each.

## OrderDto

Free text, without a limit.

## Errors
`);

/** § replaces the word, so that these lines are not citations themselves. */
const source = (lines: string[]) => lines.join('\n').replaceAll('§', 'contract');

t.test('a citation has a heading, rules and words of the contract', async (t) => {
  const passing = [
    '/** Keys (§, Rules, 1, 3) and bodies (§, "Rules", 2). */',
    '/** (§, OrderDto: "without a limit") */',
    '/**',
    ' * Shapes (§, OrderDto,',
    ' * Errors).',
    ' */',
    "/** The §'s OrderDto, with more. */",
    '// Contract, Errors: not found',
    'open(§, document); // of the contract, and of others',
  ];
  t.strictSame(checkCitations('a.ts', source(passing), contract), []);

  const failing = [
    '/** (§, OrderDto, Error) */',
    '/** (§, "Rules", 1, 4) */',
    '/** (§, OrderDto, 1) */',
    '/** (§, OrderDto: "with a limit") */',
    '/**',
    ' * Shapes (§,',
    ' * Mistakes).',
    ' */',
    "// The §'s CartDto",
  ];
  t.strictSame(checkCitations('a.ts', source(failing), contract), [
    'a.ts:1: docs/contract.md has no heading "Error"',
    'a.ts:2: docs/contract.md has no rule 4 below "Rules"',
    'a.ts:3: docs/contract.md has no rule 1 below "OrderDto"',
    'a.ts:4: docs/contract.md has no words "with a limit"',
    'a.ts:6: docs/contract.md has no heading "Mistakes"',
    'a.ts:9: docs/contract.md has no heading "CartDto"',
  ]);
});

t.test('a document names what exists', async (t) => {
  const documents: Record<string, string> = {
    'lib/README.md': [
      '# Lib',
      '`npm run build`, `npm run -s build` and `npm run build:all`; `npm run bench -- speed`, `npm run rig -- crash`',
      '`carton install --dir /srv` and `carton remove`; `npm run rig -- speed`',
      '`lib/a.ts`, `a.ts`, `test/a.test.ts`, `lib/<name>.ts`, `lib/test/`, `lib/*.ts` and `test/`',
      '`lib/b.ts`, `b.ts`, `test/b.test.ts`, `lib/attic/`, `attic/<name>.ts` and `test/none.json`',
      '`dist/index.js`, `./b.ts`, `{ a: 1 }`, `and/or`, `@carton/lib`, `stack.json`, `/srv/b`',
      '[text](../docs/one.md#what-it-does), [text](#lib), [text](a.ts), [text](https://example.com/none)',
      '[text](../docs/one.md#what-it-did), [text](#libs), [text](two.md)',
      '```sh',
      'npm run lost # `lib/b.ts`',
      '```',
    ].join('\n'),
    'docs/one.md': '# One\n\n## What `it` does?\n',
  };
  const files = [...Object.keys(documents), 'lib/a.ts', 'lib/test/a.test.ts', 'bench/speed.ts', 'rigs/crash/rig.ts'];
  const project = {
    files,
    commands: new Set(['install']),
    scripts: new Set(['build', 'bench', 'rig']),
    read: (file: string) => documents[file] ?? '',
  };
  t.strictSame(checkReferences('docs/one.md', project), []);
  t.strictSame(checkReferences('lib/README.md', project).sort(), [
    'lib/README.md:10: there is no script lost in package.json',
    'lib/README.md:2: there is no script build:all in package.json',
    'lib/README.md:3: there is no command carton remove',
    'lib/README.md:3: there is no rig speed',
    'lib/README.md:5: there is no file attic/<name>.ts',
    'lib/README.md:5: there is no file b.ts',
    'lib/README.md:5: there is no file lib/attic/',
    'lib/README.md:5: there is no file lib/b.ts',
    'lib/README.md:5: there is no file test/b.test.ts',
    'lib/README.md:5: there is no file test/none.json',
    'lib/README.md:8: there is no file two.md',
    'lib/README.md:8: there is no heading #libs',
    'lib/README.md:8: there is no heading ../docs/one.md#what-it-did',
  ]);
});

t.test('a document quotes messages that the program has', async (t) => {
  const text = 'Look for “slow statement” or “Pending migrations: …”, not for “fast statement”.';
  const sources = ["log.warn('slow statement');", 'throw notReady("Pending migrations: 1");'];
  t.strictSame(checkMessages('a.md', text, sources), ['a.md: there is no message “fast statement”']);
});

t.test('the check reads the contract of the project', async (t) => {
  const root = dirname(sourceRoot);
  const { sections } = readContract(await readFile(join(root, 'docs/contract.md'), 'utf8'));
  t.ok(sections.get('What the service does')?.includes('\n6. '));
  t.ok(isChecked('documentation -- --check'));
});

/**
 * `npm run check` fails where a word is used that the glossary replaces: tried in a small project with a glossary of
 * its own.
 */
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { sourceRoot } from '@carton/runtime/testing';
import t from 'tap';
import { isChecked } from '../checks.ts';

const root = dirname(sourceRoot);

const glossary = (rows: string[]) =>
  ['# Glossary', '', '| Term | Meaning | Not |', '| --- | --- | --- |', ...rows, ''].join('\n');

const rows = [
  '| book | To enter in a ledger | `jot` (but in notes, lib/pad.ts) |',
  '| device | A thing to use | `gadget`, `gizmo` |',
  '| release | To give up a claim | `hand back` |',
];

const words = (folder: string) =>
  new Promise<{ code: number; lines: string[] }>((resolve) => {
    execFile(process.execPath, [join(root, 'scripts/checks/words.ts'), folder], (error, _, stderr) =>
      resolve({ code: Number(error?.code ?? 0), lines: stderr.split('\n').slice(0, -2) }),
    );
  });

const files = {
  '.gitignore': 'made/\n*.log\n',
  made: { 'all.ts': '// gadget\n' },
  docs: { 'glossary.md': glossary(rows) },
  notes: { 'one.md': 'jot it down\n' },
};

t.test('each word is reported with its line and the term', async (t) => {
  const folder = t.testdir({
    ...files,
    lib: {
      'pad.ts': 'export const jot = 1;\n',
      'hand-back.ts': '',
      'code.ts': [
        'export const openGadget = 1;',
        'function handBack() {}',
        '/** A gizmo, and `gizmos`. */',
        '/**',
        ' * What callers hand',
        ' * back is counted.',
        ' */',
        "throw new Error('no GADGET here');",
        'const jotted = 2; // not a plural',
        'const jot = 3;',
      ].join('\n'),
    },
    'package.json': '{ "name": "gadget", "description": "A gadget",\n "keywords": ["gizmo"] }\n',
    'README.md': 'Two\nGadgets,\nto hand\nback. Hand. Back. Hand, back.\n',
    '.github': { 'wish.md': 'a gizmo’s use\n' },
  });
  t.strictSame(await words(folder), {
    code: 1,
    lines: [
      '.github/wish.md:1: "gizmo"; the term is "device"',
      'README.md:2: "Gadgets"; the term is "device"',
      'README.md:3: "hand back"; the term is "release"',
      'lib/code.ts:1: "Gadget"; the term is "device"',
      'lib/code.ts:2: "handBack"; the term is "release"',
      'lib/code.ts:3: "gizmo"; the term is "device"',
      'lib/code.ts:3: "gizmos"; the term is "device"',
      'lib/code.ts:5: "hand back"; the term is "release"',
      'lib/code.ts:8: "GADGET"; the term is "device"',
      'lib/code.ts:10: "jot"; the term is "book"',
      'lib/hand-back.ts: its name has "hand back"; the term is "release"',
      'package.json:1: "gadget"; the term is "device"',
    ],
  });
});

t.test('names from outside, other words and excluded files pass', async (t) => {
  const folder = t.testdir({
    ...files,
    lib: {
      'pad.ts': '',
      'code.ts': [
        "const host = ['gadget.example.com', 'http://gizmo/x', 'gadget-berlin', 'gadget.created', 'www.a.gadget', 'gadget'];",
        'const slug = `gadget-$' + '{1}`, address = `a.$' + '{1}.gadget`, query = "/boxes?name=gadget";',
        "const mail = 'gadget@gizmo.dev', path = '/gadget/:id', setting = process.env.GADGET_LIMIT, row = gadget_id;",
        'const gadgetry = 1, backhand = 2;',
      ].join('\n'),
    },
    vendor: { a: { migrations: { 'one.js': '// gadget\n' } } },
    'CHANGELOG.md': 'gadget\n',
    'package-lock.json': '{ "description": "gadget" }\n',
    'picture.svg': 'gadget',
    'a.log': 'gadget',
  });
  t.strictSame(await words(folder), { code: 0, lines: [] });
});

t.test('a table that cannot be read as meant is refused', async (t) => {
  const wrong = [
    '| device | A thing to use | `gadget` (but in attic) |',
    '| book | To enter in a ledger | `Gadget` |',
    '| release | | `hand back` |',
  ];
  const folder = t.testdir({ ...files, docs: { 'glossary.md': glossary(wrong) } });
  t.strictSame(await words(folder), {
    code: 1,
    lines: [
      'docs/glossary.md: "book" belongs before "device"',
      'docs/glossary.md: "Gadget" is listed for "device" and for "book"',
      'docs/glossary.md: a row needs a term, a meaning and a third cell:  release | | `hand back` ',
      'docs/glossary.md: "gadget" has an exception for attic, which does not exist',
    ],
  });
  const empty = t.testdir({ ...files, docs: { 'glossary.md': '' } });
  t.strictSame(await words(empty), { code: 1, lines: ['docs/glossary.md: the table has no words to avoid'] });
});

t.test('the project itself is checked', async (t) => {
  t.ok(isChecked('npm run -s words'));
});

/**
 * The parts of CONTRIBUTING.md that are written from the lists of commands, and the length of its paragraphs.
 */
import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';
import { sourceRoot } from '@carton/runtime/testing';
import t from 'tap';
import { checksTable, helpText } from '../lists.ts';
import { longParagraphs } from '../paragraphs.ts';

t.test('the lists of rigs and benches are what their commands print', async (t) => {
  const root = dirname(sourceRoot);
  for (const [script, folder] of [
    ['rig', 'rigs'],
    ['bench', 'bench'],
  ] as const) {
    const printed = execFileSync('npm', ['run', '-s', script, '--', '--help'], { cwd: root, encoding: 'utf8' });
    t.equal(helpText(root, `${folder}/run.ts`), `\`\`\`\n${printed}\`\`\``);
  }
});

t.test('each check has a row with the command that runs it', async (t) => {
  const table = checksTable([
    { words: ['lint', '.'], about: 'style', advice: 'npm run mend mends it' },
    { words: ['npm', 'run', '-s', 'words', '--', '--all'], about: 'words' },
  ]);
  t.strictSame(table.split('\n').slice(2), [
    '| `npx lint .` | style | `npm run mend` mends it |',
    '| `npm run words -- --all` | words |  |',
  ]);
});

t.test('a paragraph of more than ten lines is a fault', async (t) => {
  const ten = Array(10).fill('x'.repeat(119)).join('\n');
  const document = [
    ten,
    `${ten}\n${ten}`,
    `- ${'y'.repeat(1000)}\n- ${'y'.repeat(1000)}`,
    `1. ${'y'.repeat(1200)}`,
    `| ${'z'.repeat(1300)} |`,
    `\`\`\`\n${ten}\n${ten}\n\`\`\``,
  ];
  const fault = 'the paragraph has more than ten lines: divide it';
  t.strictSame(longParagraphs('a.md', document.join('\n\n')), [`a.md:12: ${fault}`, `a.md:36: ${fault}`]);
});

/**
 * The list of decisions names each of them, and one with another form is a fault.
 */
import t from 'tap';
import { decisionsTable } from '../decisions.ts';

const form = (number: number, title: string) =>
  `# ${number}. ${title}\n\nDate: 2030-01-31\n\n` +
  ['Context', 'Decision', 'Rejected', 'Consequences'].map((heading) => `## ${heading}\n\nText.\n`).join('\n');

function tableOf(texts: Record<string, string>) {
  const faults: string[] = [];
  const files = Object.keys(texts).map((name) => `docs/decisions/${name}`);
  const read = (file: string) => texts[file.slice('docs/decisions/'.length)] as string;
  return { table: decisionsTable(['docs/api.md', ...files, 'docs/decisions/README.md'], read, faults), faults };
}

t.test('the list has each decision with its date', async (t) => {
  t.strictSame(tableOf({ '0001-one.md': form(1, 'One'), '0002-two-words.md': form(2, 'Two words') }), {
    table: [
      '| | Decision | Date |',
      '| --- | --- | --- |',
      '| 1 | [One](0001-one.md) | 2030-01-31 |',
      '| 2 | [Two words](0002-two-words.md) | 2030-01-31 |',
    ].join('\n'),
    faults: [],
  });
});

t.test('another form is a fault', async (t) => {
  const faultsOf = (text: string, name = '0001-one.md') => tableOf({ [name]: text }).faults.join('\n');
  const right = form(1, 'One');
  t.equal(faultsOf(right), '');
  t.match(
    faultsOf(right, '0002-one.md'),
    /^docs\/decisions\/0002-one\.md: its name is not the next number, 1, [^\n]+$/,
  );
  t.match(faultsOf(right, 'one.md'), /^[^\n]+its name is not [^\n]+$/);
  t.match(faultsOf(form(2, 'One')), /^[^\n]+it does not begin with "# 1\. " and its title$/);
  t.match(faultsOf(right.replace('2030-01-31', 'today')), /^[^\n]+it has no line "Date: " [^\n]+$/);
  t.match(faultsOf(right.replace('## Rejected', '## Others')), /^[^\n]+its sections are not Context, [^\n]+$/);
  t.match(faultsOf(right.replace('## Rejected\n\nText.\n', '## Rejected\n')), /^[^\n]+each with a text$/);
});

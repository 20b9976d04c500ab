/**
 * The list of docs/decisions/, and what is wrong with the form of a decision.
 */
import { basename } from 'node:path';

export const decisionsFolder = 'docs/decisions';

const headings = ['Context', 'Decision', 'Rejected', 'Consequences'];

/**
 * The table of all decisions; faults are added to `faults`.
 *
 * @param files those of the project, sorted
 */
export function decisionsTable(files: readonly string[], read: (file: string) => string, faults: string[]): string {
  const decisions = files.filter(
    (file) => file.startsWith(`${decisionsFolder}/`) && file !== `${decisionsFolder}/README.md`,
  );
  const rows = decisions.map((file, index) => {
    const number = index + 1;
    const say = (fault: string) => faults.push(`${file}: ${fault}`);
    const text = read(file);
    const [, title = ''] = new RegExp(`^# ${number}\\. (\\S.*)\n`).exec(text) ?? [];
    const [, date = ''] = /^Date: (\d{4}-\d\d-\d\d)$/m.exec(text) ?? [];
    if (!new RegExp(`/${String(number).padStart(4, '0')}-[a-z0-9]+(-[a-z0-9]+)*\\.md$`).test(file))
      say(`its name is not the next number, ${number}, in four digits, and words with hyphens`);
    if (title === '') say(`it does not begin with "# ${number}. " and its title`);
    if (date === '') say('it has no line "Date: " with year, month and day');
    const sections = text.split(/^## /m).slice(1);
    const found = sections.filter((section) => /\n\s*\S/.test(section)).map((section) => section.split('\n')[0]);
    if (found.join() !== headings.join()) say(`its sections are not ${headings.join(', ')}, each with a text`);
    return `| ${number} | [${title}](${basename(file)}) | ${date} |`;
  });
  return ['| | Decision | Date |', '| --- | --- | --- |', ...rows].join('\n');
}

/**
 * Lists for CONTRIBUTING.md: of the rigs and the benches, as their commands print them, and of the checks.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Check } from '../checks/checks.ts';

/** What `--help` of a command prints. It is run, since scripts import nothing of rigs and benches. */
export function helpText(root: string, file: string): string {
  const words = ['--conditions=workspace-source', join(root, file), '--help'];
  return `\`\`\`\n${execFileSync(process.execPath, words, { encoding: 'utf8' }).trim()}\n\`\`\``;
}

/** A row for each check, with the command that runs it alone. */
export function checksTable(checks: readonly Check[]): string {
  const rows = checks.map(({ words, about, advice = '' }) => {
    const [program, ...others] = words.filter((word) => word !== '-s');
    const command = [program === 'npm' ? 'npm' : `npx ${program}`, ...others].join(' ');
    return `| \`${command}\` | ${about} | ${advice.replace(/^npm run \w+/, '`$&`')} |`;
  });
  return ['| Command | Checks | If it fails |', '| --- | --- | --- |', ...rows].join('\n');
}

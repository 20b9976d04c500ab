/**
 * Checks everything that needs no running program, and goes on after a fault, so that one run shows all of them.
 */
import { spawnSync } from 'node:child_process';
import { runCommand } from '../../tools/command-line.ts';
import { checks } from './checks.ts';

const help = `Usage: npm run check

Checks everything that needs no running program, and goes on after a fault:
${checks.map(({ words, about }) => `  ${words.filter((word) => word !== '-s').join(' ')}\n      ${about.replaceAll('`', '')}`).join('\n')}

  --help  this text

Exit codes: 0 no fault, 1 faults, 2 wrong usage.
`;

await runCommand({ name: 'npm run check', help }, () => {
  const failed = checks.filter(({ words: [program = '', ...words] }) => {
    const { status, error } = spawnSync(program, words, { stdio: 'inherit' });
    if (error) console.error(`${program}: ${error.message}`);
    return status !== 0;
  });
  for (const { words, advice } of failed) console.error(`failed: ${words.join(' ')}${advice ? ` (${advice})` : ''}`);
  return failed.length > 0 ? 1 : 0;
});

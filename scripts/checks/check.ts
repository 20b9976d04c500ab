/**
 * Checks everything that needs no running program, and goes on after a fault, so that one run shows all of them.
 */
import { spawnSync } from 'node:child_process';
import { checks } from './checks.ts';

const failed = checks.filter(({ words: [program = '', ...words] }) => {
  const { status, error } = spawnSync(program, words, { stdio: 'inherit' });
  if (error) console.error(`${program}: ${error.message}`);
  return status !== 0;
});
for (const { words, advice } of failed) console.error(`failed: ${words.join(' ')}${advice ? ` (${advice})` : ''}`);
process.exitCode = failed.length > 0 ? 1 : 0;

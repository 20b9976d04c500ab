/**
 * What `npm run check` runs, in this order.
 */
const own = ['node', '--conditions=workspace-source'];

export const checks: readonly { words: readonly string[]; advice?: string }[] = [
  { words: ['biome', 'check', '.'], advice: 'npm run format mends what can be mended' },
  { words: ['tsc', '--noEmit'] },
  { words: ['npm', 'run', '-s', 'boundaries'] },
  { words: ['npm', 'run', '-s', 'shape'] },
  { words: ['npm', 'run', '-s', 'declared'] },
  { words: ['npm', 'run', '-s', 'words'] },
  { words: ['npm', 'run', '-s', 'changelog', '--', '--check'] },
  {
    words: [...own, 'scripts/commands/documentation.ts', '--check'],
    advice: 'npm run documentation writes what is generated',
  },
];

/** Whether these words are one of the checks, for the tests of each. */
export function isChecked(...words: string[]): boolean {
  return checks.some((check) => check.words.join(' ').endsWith(words.join(' ')));
}

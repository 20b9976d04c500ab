/**
 * What `npm run check` runs, in this order.
 */
export interface Check {
  words: readonly string[];
  /** What it checks, for CONTRIBUTING.md. */
  about: string;
  /** What to do when it fails. */
  advice?: string;
}

const script = (...words: string[]) => ['npm', 'run', '-s', ...words];

export const checks: readonly Check[] = [
  {
    words: ['biome', 'check', '.'],
    about: 'format, and the lint rules of `biome.json`',
    advice: 'npm run format mends what can be mended',
  },
  { words: ['tsc', '--noEmit'], about: 'types' },
  { words: script('boundaries'), about: 'imports between modules: `.dependency-cruiser.mjs`' },
  {
    words: script('shape'),
    about: 'the files of packages, their folders and statements; the locks of the control plane',
  },
  { words: script('declared'), about: 'the dependencies in each `package.json`, against what the sources import' },
  { words: script('words'), about: 'the words of `docs/glossary.md`' },
  { words: script('changelog', '--', '--check'), about: 'the files in `changes/`' },
  {
    words: script('documentation', '--', '--check'),
    about: 'generated files and parts; what documents name; names that packages export and nothing uses',
    advice: 'npm run documentation writes what is generated',
  },
];

/** Whether these words are one of the checks, for the tests of each. */
export function isChecked(...words: string[]): boolean {
  return checks.some((check) => check.words.join(' ').endsWith(words.join(' ')));
}

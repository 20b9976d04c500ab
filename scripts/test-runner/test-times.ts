/**
 * `npm run test:times -- <figures>...`: compares where the time of runs went with the figures that are kept in
 * scripts/test-runner/times.json. Exits with 1 if a suite took more than twice the CPU time of its budget; with `--write`,
 * keeps the figures of the runs instead, which must be of whole suites.
 */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { runCommand, UsageError } from '../../tools/command-line.ts';
import type { Figures, FileFigures } from '../../tools/figures.ts';

const keptPath = fileURLToPath(new URL('times.json', import.meta.url));

/** By suite: its budget in minutes on two cores, and the figures of an earlier run of all its files. */
type Kept = Record<string, { minutes: number; figures?: Omit<Figures, 'complete'> }>;

const cores = 2;
/** CI fails beyond it: other work beside it, or a slower machine, stays below. */
const tolerance = 2;

const read = async <T>(path: string): Promise<T> => JSON.parse(await readFile(path, 'utf8'));

const column = (value: number | undefined, width: number) =>
  (value === undefined ? '–' : value.toFixed(1)).padStart(width);

function printFiles(now: readonly FileFigures[], before: readonly FileFigures[]): void {
  const earlier = new Map(before.map((each) => [each.file, each]));
  for (const { file, cpuSeconds, wallSeconds } of now) {
    console.log(
      `${column(cpuSeconds, 9)}${column(earlier.get(file)?.cpuSeconds, 9)}${column(wallSeconds, 9)}${column(earlier.get(file)?.wallSeconds, 9)}  ${file}`,
    );
  }
}

/** Prints a suite. @returns whether it is within twice its budget */
function compare(now: Figures, kept: Kept): boolean {
  const { minutes, figures: before } = kept[now.suite] ?? {};
  if (minutes === undefined) throw new Error(`${keptPath} has no budget of the suite ${now.suite}`);
  const budget = minutes * 60 * cores;
  const within = now.cpuSeconds <= tolerance * budget;
  console.log(
    `\nSuite ${now.suite}: ${now.files} files, ${now.passed} passed; budget ${minutes} minutes on ${cores} cores`,
  );
  console.log('  CPU s   before   wall s   before');
  printFiles([{ file: 'the suite', ...now }], before ? [{ file: 'the suite', ...before }] : []);
  printFiles(now.slowest, before?.slowest ?? []);
  if (!within) console.log(`It took ${now.cpuSeconds} s of CPU time, more than ${tolerance} times ${budget} s.`);
  return within;
}

const help = `Usage: npm run test:times -- <figures>... [--write]

Compares where the time of runs went with the figures that are kept in
scripts/test-runner/times.json. --figures of a suite writes such a file.

  --write  keep these figures instead; they must be of whole suites
  --help   this text

Exit codes: 0 within the budgets, 1 a suite took more than twice the CPU time of
its budget, 2 wrong usage.
`;

const options = { write: { type: 'boolean', default: false } } as const;

const line = { name: 'npm run test:times', help, options, most: Number.POSITIVE_INFINITY };
await runCommand(line, async ({ values, positionals }) => {
  if (positionals.length === 0) throw new UsageError('name a file of figures');
  const missing = positionals.find((path) => !existsSync(path));
  if (missing !== undefined) throw new UsageError(`there is no file '${missing}'`);
  const kept = await read<Kept>(keptPath);
  const runs = await Promise.all(positionals.map((path) => read<Figures>(path)));
  const within = runs.map((figures) => compare(figures, kept));
  const partial = positionals.filter((_, place) => runs[place]?.complete !== true);
  if (!values.write) return within.includes(false) ? 1 : 0;
  if (partial.length > 0)
    throw new UsageError(`not kept: ${partial.join(', ')} is not of a run of a whole suite, once`);
  for (const { complete: _, ...figures } of runs) Object.assign(kept[figures.suite] as object, { figures });
  await writeFile(keptPath, `${JSON.stringify(kept, null, 2)}\n`);
  return 0;
});

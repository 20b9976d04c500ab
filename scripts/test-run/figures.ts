/**
 * Where the time of a run went, as figures that can be kept and compared.
 */
import { writeFile } from 'node:fs/promises';
import { cpuTime } from './cpu-time.ts';
import type { FileResult } from './workers.ts';

export interface FileFigures {
  file: string;
  /** Without PostgreSQL's share. */
  cpuSeconds: number;
  wallSeconds: number;
}

export interface Figures {
  suite: string;
  files: number;
  passed: number;
  /** Of the run and all that it waited for: workers, what they started, and PostgreSQL. */
  cpuSeconds: number;
  wallSeconds: number;
  slowest: FileFigures[];
}

const listed = 20;

const rounded = (value: number) => Math.round(value * 10) / 10;

/** The files that took most CPU, most first. */
export function slowestOf(results: readonly FileResult[]): FileFigures[] {
  return [...results]
    .sort((a, b) => b.cpuSeconds - a.cpuSeconds)
    .slice(0, listed)
    .map(({ file, cpuSeconds, wallSeconds }) => ({
      file,
      cpuSeconds: rounded(cpuSeconds),
      wallSeconds: rounded(wallSeconds),
    }));
}

/** Writes the figures of a run that is at its end, so that all its processes have ended. */
export async function writeFigures(path: string, suite: string, results: readonly FileResult[]): Promise<void> {
  const figures: Figures = {
    suite,
    files: results.length,
    passed: results.flatMap(({ asserts }) => asserts).filter(({ ok, skip }) => ok && skip === false).length,
    cpuSeconds: rounded(cpuTime()),
    wallSeconds: rounded(process.uptime()),
    slowest: slowestOf(results),
  };
  await writeFile(path, `${JSON.stringify(figures, null, 2)}\n`);
}

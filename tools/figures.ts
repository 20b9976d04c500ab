/**
 * Where the time of a suite went, as figures that can be kept and compared.
 */
import { writeFile } from 'node:fs/promises';

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
export function slowestOf(results: readonly FileFigures[]): FileFigures[] {
  return [...results]
    .sort((a, b) => b.cpuSeconds - a.cpuSeconds)
    .slice(0, listed)
    .map(({ file, cpuSeconds, wallSeconds }) => ({
      file,
      cpuSeconds: rounded(cpuSeconds),
      wallSeconds: rounded(wallSeconds),
    }));
}

export interface MeasuredRun {
  suite: string;
  passed: number;
  cpuSeconds: number;
  files: readonly FileFigures[];
}

/** Writes the figures of a run that is at its end, so that all its processes have ended. */
export async function writeFigures(path: string, { suite, passed, cpuSeconds, files }: MeasuredRun): Promise<void> {
  const figures: Figures = {
    suite,
    files: files.length,
    passed,
    cpuSeconds: rounded(cpuSeconds),
    wallSeconds: rounded(process.uptime()),
    slowest: slowestOf(files),
  };
  await writeFile(path, `${JSON.stringify(figures, null, 2)}\n`);
}

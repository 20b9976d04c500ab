/**
 * Where the time of a suite went, as figures that can be kept and compared.
 */
import { accessSync, constants } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface FileFigures {
  file: string;
  /** Without PostgreSQL's share. */
  cpuSeconds: number;
  wallSeconds: number;
}

export interface Figures {
  suite: string;
  /** Whether all files of the suite ran, each once: others are not kept. */
  complete: boolean;
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
  complete: boolean;
  passed: number;
  cpuSeconds: number;
  files: readonly FileFigures[];
}

/** @throws Error if the figures of a run could not be written to this file */
export function checkFiguresPath(path: string): void {
  try {
    accessSync(dirname(path), constants.W_OK);
  } catch (error) {
    throw new Error(`--figures: ${path} cannot be written, as its folder is missing or is not yours`, { cause: error });
  }
}

/** Writes the figures of a run that is at its end, so that all its processes have ended. */
export async function writeFigures(path: string, run: MeasuredRun): Promise<void> {
  const { suite, complete, passed, cpuSeconds, files } = run;
  const figures: Figures = {
    suite,
    complete,
    files: files.length,
    passed,
    cpuSeconds: rounded(cpuSeconds),
    wallSeconds: rounded(process.uptime()),
    slowest: slowestOf(files),
  };
  await writeFile(path, `${JSON.stringify(figures, null, 2)}\n`);
}

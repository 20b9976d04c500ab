/**
 * The list of known failures (known-failures.md): what fails, and is mended elsewhere. Each must still fail.
 */
import { readFile } from 'node:fs/promises';
import type { Failure } from './results.ts';

/** A line of the list: the name of a failure, or its beginning. */
export interface KnownFailure {
  name: string;
  line: number;
}

export async function readKnownFailures(file: string): Promise<KnownFailure[]> {
  const lines = (await readFile(file, 'utf8')).split('\n');
  return lines.flatMap((text, index) => {
    const [, name] = /^- `(.+?)`/.exec(text) ?? [];
    return name === undefined ? [] : [{ name, line: index + 1 }];
  });
}

export interface SortedFailures {
  known: Failure[];
  fresh: Failure[];
  /** Entries that no failure matches any more. */
  mended: KnownFailure[];
}

/** @param subjects those that have run; entries of others say nothing */
export function sortFailures(
  failures: readonly Failure[],
  list: readonly KnownFailure[],
  subjects: readonly string[],
): SortedFailures {
  const isOf = (failure: Failure) => (entry: KnownFailure) => failure.name.startsWith(entry.name);
  return {
    known: failures.filter((failure) => list.some(isOf(failure))),
    fresh: failures.filter((failure) => !list.some(isOf(failure))),
    mended: list.filter(
      (entry) =>
        subjects.some((name) => entry.name.startsWith(`${name} > `)) &&
        !failures.some((failure) => isOf(failure)(entry)),
    ),
  };
}

/**
 * The order in which test files run: random, so that no file depends on another that runs before it.
 */
import { createHash } from 'node:crypto';

/**
 * A random order of files. A seed gives a file its place whatever the other files are, and in whatever order they are
 * named: some files of a run have the order that they had in it.
 */
export function shuffled(files: readonly string[], seed: number): string[] {
  const placeOf = (file: string) => createHash('sha256').update(`${seed} ${file}`).digest('hex');
  return files
    .map((file) => ({ file, place: placeOf(file) }))
    .sort((a, b) => (a.place < b.place ? -1 : 1))
    .map(({ file }) => file);
}

/**
 * The options of `npm run test:shipped`.
 */
import { parseArgs } from 'node:util';
import { checkFiguresPath } from '../tools/figures.ts';

export interface Options {
  /** The subjects to run. */
  only: string[];
  /** The folder of a stack that was made before. */
  stack: string | undefined;
  /** The folder in which the stack stays. */
  keep: string | undefined;
  /** The file for where the time went. */
  figures: string | undefined;
}

export const help = (subjects: readonly string[]) => `Usage: npm run test:shipped -- [options]

Builds and publishes all packages, builds the installer, installs a box with that binary, and runs the subjects against
it and against a control plane and a registry from what they are shipped as. Each request to the box goes to a box that
runs from sources too, and their answers must be alike.

  --only <subject>  run this subject only; may be repeated, or a list with commas
  --keep <folder>   make the stack in this empty folder, and leave it there, stopped
  --stack <folder>  start the stack that --keep has left, instead of making one
  --figures <file>  write where the time went to this file, as JSON
  --help            print this help

Subjects: ${subjects.join(', ')}

Exit codes: 0 all passed, 1 something failed, 2 wrong usage.`;

/** Returns null if help was requested. @throws Error for a wrong option, or an unknown subject */
export function readOptions(parameters: readonly string[], subjects: readonly string[]): Options | null {
  const { values } = parseArgs({
    args: [...parameters],
    options: {
      only: { type: 'string', multiple: true },
      keep: { type: 'string' },
      stack: { type: 'string' },
      figures: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  const { only, keep, stack, figures } = values;
  if (keep !== undefined && stack !== undefined) throw new Error('pass --keep or --stack, not both');
  if (figures !== undefined) checkFiguresPath(figures);
  const asked = (only ?? subjects).flatMap((names) => names.split(','));
  const unknown = asked.filter((name) => !subjects.includes(name));
  if (unknown.length > 0) throw new Error(`no subject ${unknown.join(', ')}: there are ${subjects.join(', ')}`);
  return { only: subjects.filter((name) => asked.includes(name)), stack, keep, figures };
}

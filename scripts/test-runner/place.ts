/**
 * Where a failure is, from its stack: in the test rather than in what the test calls.
 */
import { readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Place {
  /** From the root of the project. */
  file: string;
  line: number;
  column: number;
}

/** Lines that are shown before the place, and after it. */
const around = 2;

/** Frames are as Node.js writes them, or as tap does, without `at`. */
const frame = /(?:^|[\s(])((?:file:\/\/)?[^\s()]+\.[cm]?[jt]s):(\d+):(\d+)\)?\s*$/;

/** The frames of a stack that are in the project, without the libraries and the runner of the tests itself. */
function framesOf(stack: string, root: string): Place[] {
  return stack.split('\n').flatMap((text) => {
    const [, name = '', line, column] = frame.exec(text) ?? [];
    const file = relative(root, resolve(root, name.startsWith('file:') ? fileURLToPath(name) : name));
    const isOurs = name !== '' && !/^(\.\.|scripts\/test-runner\/(?!test\/))|(^|\/)node_modules\/|^node:/.test(file);
    return isOurs ? [{ file, line: Number(line), column: Number(column) }] : [];
  });
}

/** The first place in the test file, else in another test, else in the project; null for none. */
export function placeOf(stack: string, root: string, testFile?: string): Place | null {
  const frames = framesOf(stack, root);
  const isTest = ({ file }: Place) => file === testFile || /(^|\/)test\//.test(file);
  return frames.find(({ file }) => file === testFile) ?? frames.find(isTest) ?? frames[0] ?? null;
}

/** The lines of a place, with a mark; empty where the file cannot be read. */
export function excerptOf({ file, line, column }: Place, root: string): string {
  let lines: string[];
  try {
    lines = readFileSync(resolve(root, file), 'utf8').split('\n');
  } catch {
    return '';
  }
  const shown = lines.slice(Math.max(line - 1 - around, 0), line + around);
  shown.splice(Math.min(line, around + 1), 0, `${'-'.repeat(Math.max(column - 1, 0))}^`);
  return shown.join('\n');
}

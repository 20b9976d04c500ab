/**
 * The suites of test files, and which file belongs to which.
 */
import { globSync, realpathSync } from 'node:fs';
import { relative, resolve } from 'node:path';

/**
 * `rules`: every rule of all packages, the engine, the control plane and the installer.
 * `faults`: rigs, Citus, several boxes, and the tests of races with more rounds.
 */
export type Suite = 'rules' | 'faults';

/** Folders and files of the suite `faults` alone. */
const faultsOnly = [/^rigs\//, /^tools\/citus\//];

/** Tests of races: in both suites, with more rounds in `faults`. */
const races = /races\.test\.ts$/;

/** These measure the memory of their process. */
const measureMemory = ['runtime/test/streamed-export.test.ts', 'runtime/http/test/streaming-memory.test.ts'];

export function hasOwnProcess(file: string): boolean {
  return measureMemory.includes(file);
}

/** All test files from the root of the project, in alphabetical order. */
export function allFiles(root: string): string[] {
  const pattern =
    '{durable-files,runtime,control-plane,installer,vendor,examples,scripts,tools,bench,rigs,shipped}/**/test/**/*.test.ts';
  return globSync(pattern, { cwd: root, exclude: (name) => name === 'node_modules' || name === 'dist' }).sort();
}

export function filesOfSuite(suite: Suite, root: string): string[] {
  const ofFaults = (file: string) => faultsOnly.some((pattern) => pattern.test(file));
  return allFiles(root).filter((file) => (suite === 'rules' ? !ofFaults(file) : ofFaults(file) || races.test(file)));
}

/** A path from the root of the project; empty for the root itself. */
function fromRoot(name: string, root: string): string {
  const path = resolve(root, name);
  try {
    return relative(realpathSync(root), realpathSync(path));
  } catch {
    return relative(root, path); // it does not exist
  }
}

/**
 * The test files that arguments name, each once: files, or folders with all their tests.
 * @throws Error if one names none
 */
export function namedFiles(names: readonly string[], root: string): string[] {
  const files = allFiles(root);
  const found = names.flatMap((name) => {
    const path = fromRoot(name, root);
    const ofName = files.filter((file) => path === '' || file === path || file.startsWith(`${path}/`));
    if (ofName.length === 0) throw new Error(`no test file is called ${name}, and no folder of that name has any`);
    return ofName;
  });
  return [...new Set(found)];
}

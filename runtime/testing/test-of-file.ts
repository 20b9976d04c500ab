/**
 * The test of a whole file, for what the tests of the file share.
 */
import type { Test } from 'tap';

/** The test around all those of a file: of the process, or of the file where a process runs many. */
export function testOfFile(t: Test): Test {
  let file = t;
  while (!file.name.endsWith('.test.ts') && file.parent && 'teardown' in file.parent) file = file.parent as Test;
  return file;
}

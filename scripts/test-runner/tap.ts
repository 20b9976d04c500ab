/**
 * Reads the TAP of a test file.
 */
import { Parser } from 'tap-parser';

/** Where a failed assertion is and what it found. */
export interface Diagnostics {
  at?: { fileName?: string; lineNumber?: number; columnNumber?: number };
  diff?: string;
  found?: unknown;
  wanted?: unknown;
  stack?: string;
  source?: string;
  /** What the box has logged of the requests of the test. */
  log?: string;
  [name: string]: unknown;
}

export interface AssertResult {
  ok: boolean;
  name: string;
  /** The names of the tests around it, the file first. */
  path: string[];
  /** The reason, where a test was skipped. */
  skip: string | boolean;
  diagnostics?: Diagnostics;
}

/** The assertions in lines of TAP. A test that has assertions of its own counts as these. */
export function readTap(lines: readonly string[]): AssertResult[] {
  const results = Parser.parse(lines.join('\n'), { flat: true }) as [string, FlatResult][];
  return results.flatMap(([kind, result]) => (kind === 'assert' ? [fromFlat(result)] : []));
}

/** What tests have said by comments, without what tap says itself. */
export function readComments(lines: readonly string[]): string[] {
  return lines
    .flatMap((line) => /^\s*# (.+)$/s.exec(line)?.[1] ?? [])
    .filter((text) => !/^(Subtest: |time=|\{ total: )/.test(text));
}

/** What `t.bailout()` gave as the reason why the process ends, in lines of TAP. */
export function bailReason(lines: readonly string[]): string | null {
  return lines.map((line) => /^\s*Bail out!\s*(.*)$/s.exec(line)?.[1]).find((reason) => reason !== undefined) ?? null;
}

interface FlatResult {
  ok: boolean;
  name: string;
  fullname: string;
  skip?: string | boolean;
  diag?: Diagnostics | null;
}

function fromFlat({ ok, name, fullname, skip, diag }: FlatResult): AssertResult {
  return { ok, name, path: fullname.split(' > '), skip: skip ?? false, ...(diag && { diagnostics: diag }) };
}

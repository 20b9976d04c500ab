/**
 * Reads the TAP output of a subject: what passed and failed, each with its full name and what was said about it.
 */
import { Parser } from 'tap-parser';

export interface Failure {
  /** `hosts > a host is added > 201`. */
  name: string;
  /** `shipped/subjects/hosts.test.ts:13`; empty if it is unknown. */
  place: string;
  /** The difference, and the log of the box. */
  details: string[];
}

export interface Results {
  passed: number;
  skipped: string[];
  failures: Failure[];
  /** What the subject says about itself. */
  notes: string[];
}

interface Assertion {
  ok: boolean;
  name: string;
  skip?: boolean | string;
  diag?: Diagnosis | null;
}

interface Diagnosis {
  diff?: string;
  found?: unknown;
  wanted?: unknown;
  actual?: unknown;
  /** The output of a command. */
  said?: string;
  at?: { fileName?: string; lineNumber?: number } | null;
  stack?: string;
  error?: unknown;
  message?: string;
  signal?: string;
  exitCode?: number;
}

type Event = [kind: string, value: unknown];

export function readResults(tap: string): Results {
  const results: Results = { passed: 0, skipped: [], failures: [], notes: [] };
  visit(Parser.parse(tap) as Event[], [], results, { last: null });
  return results;
}

/** @param state the failure that comments belong to */
function visit(events: readonly Event[], path: readonly string[], results: Results, state: { last: Failure | null }) {
  for (const [index, [kind, value]] of events.entries()) {
    if (kind === 'child') {
      const [, comment] = (value as Event[]).find(([each]) => each === 'comment') ?? [];
      const [, name = ''] = /^# Subtest: (.*)/.exec(String(comment)) ?? [];
      visit(value as Event[], [...path, name], results, state);
    } else if (kind === 'assert') {
      const isOfChild = events[index - 1]?.[0] === 'child';
      assess(value as Assertion, path, results, state, isOfChild);
    } else if (kind === 'comment') note(String(value), results, state);
  }
}

function assess(
  { ok, name, skip, diag }: Assertion,
  path: readonly string[],
  results: Results,
  state: { last: Failure | null },
  isOfChild: boolean,
): void {
  const fullName = [...path, name].join(' > ');
  if (skip) results.skipped.push(typeof skip === 'string' && skip !== '' ? `${fullName}: ${skip}` : fullName);
  else if (ok) {
    if (isOfChild) return;
    results.passed += 1;
    state.last = null;
  } else {
    // A test fails because of what failed in it, unless it has ended in another way.
    if (isOfChild && results.failures.some((failure) => failure.name.startsWith(`${fullName} > `))) return;
    state.last = { name: fullName, place: placeOf(diag), details: detailsOf(diag) };
    results.failures.push(state.last);
  }
}

function note(comment: string, results: Results, { last }: { last: Failure | null }): void {
  const text = comment.replace(/^# ?/, '').trimEnd();
  if (/^(Subtest:|time=|\{ total|failed|bailout)/.test(text)) return;
  if (last) last.details.push(text);
  else results.notes.push(text);
}

function placeOf(diag: Diagnosis | null | undefined): string {
  const { fileName, lineNumber } = diag?.at ?? {};
  return fileName === undefined ? '' : `${fileName}:${lineNumber}`;
}

function detailsOf(diag: Diagnosis | null | undefined): string[] {
  if (!diag) return [];
  const { diff, actual, said, found, wanted, error, message, signal, exitCode, stack } = diag;
  const lines: string[] = [];
  if (diff) lines.push(...diff.trimEnd().split('\n'));
  else if (found !== undefined) lines.push(`found ${JSON.stringify(found)}, wanted ${JSON.stringify(wanted)}`);
  if (actual !== undefined) lines.push(`was ${String(actual)}`);
  if (said) lines.push('its output:', ...said.split('\n'));
  if (message) lines.push(message);
  if (error) lines.push(String(error));
  if (error && stack) lines.push(...stack.trimEnd().split('\n'));
  if (signal || exitCode) lines.push(`the process ended with ${signal ?? exitCode}`);
  return lines;
}

// One request with many download reports, and what the control plane answers for each.

import type { StoredReport } from './outbox.ts';

/** Reports in a request. The control plane accepts 500. */
export const batchSize = 200;

/** What became of a report: accepted, or rejected with the reason. */
export type Outcome = { accepted: true } | { accepted: false; detail: string };

export type BatchAnswer =
  /** The outcomes in the order of the reports. */
  | { kind: 'outcomes'; outcomes: Outcome[] }
  /** The control plane is an earlier one, which accepts single reports only. */
  | { kind: 'unknown' }
  /** It did not accept the request as a whole. */
  | { kind: 'failed'; status: number };

/** The body of a request with these reports. */
export function batchOf(reports: readonly StoredReport[]): string {
  return JSON.stringify({
    reports: reports.map(({ idempotencyKey, downloadedAt, report }) => ({ idempotencyKey, downloadedAt, report })),
  });
}

/** Reads the answer to a request with these reports. One that does not say what became of each counts as a failure. */
export function readBatchAnswer(status: number, text: string, reports: readonly StoredReport[]): BatchAnswer {
  if (status === 404 || status === 405) return { kind: 'unknown' };
  const outcomes = status === 202 ? outcomesIn(text, reports) : undefined;
  return outcomes === undefined ? { kind: 'failed', status } : { kind: 'outcomes', outcomes };
}

/** `discarded`: its customer was erased. */
const accepted = new Set<unknown>(['stored', 'repeated', 'discarded']);

type Entry = { idempotencyKey?: unknown; outcome?: unknown; detail?: unknown } | null;

function outcomesIn(text: string, reports: readonly StoredReport[]): Outcome[] | undefined {
  let entries: Entry[];
  try {
    entries = JSON.parse(text).outcomes;
  } catch {
    return undefined;
  }
  if (!Array.isArray(entries) || entries.length !== reports.length) return undefined;
  const outcomes = entries.map((entry, at): Outcome | undefined => {
    if (entry?.idempotencyKey !== reports[at]?.idempotencyKey) return undefined;
    if (entry?.outcome === 'rejected') return { accepted: false, detail: String(entry.detail) };
    return accepted.has(entry?.outcome) ? { accepted: true } : undefined;
  });
  return outcomes.includes(undefined) ? undefined : (outcomes as Outcome[]);
}

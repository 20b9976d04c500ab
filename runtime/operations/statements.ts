/**
 * Observing statements: counts for the metrics, a log line for each slow statement, spans for traces. Only the texts of
 * statements are reported, which are constants of the program, and never their values.
 */
import type { Logger } from 'pino';
import type { DatabaseObserver } from '../db/observer.ts';
import { currentWork, type Work, workFields } from './current-work.ts';
import { family, type MetricFamily, single } from './metrics/family.ts';
import type { Tracer } from './tracing/tracer.ts';

export interface StatementOptions {
  log: Logger;
  /** Milliseconds from which a statement, or a wait for a connection, is logged as slow; 0 for never. */
  slowFrom: number;
  tracer: Tracer | null;
}

/** An insert of many rows is long; its beginning is enough to identify it. */
const maxTextLength = 2000;
/** A free connection is available within this time, in milliseconds: that is not counted as a wait. */
const waitThreshold = 1;

export class StatementObserver implements DatabaseObserver {
  readonly #options: StatementOptions;
  #waits = 0;
  #waitSeconds = 0;
  #statementSeconds = 0;
  #done = 0;
  #failed = 0;
  #slow = 0;

  constructor(options: StatementOptions) {
    this.#options = options;
  }

  waited(began: number, ended: number): void {
    const { log, slowFrom, tracer } = this.#options;
    const milliseconds = ended - began;
    this.#waits += 1;
    this.#waitSeconds += milliseconds / 1000;
    if (milliseconds < waitThreshold) return;
    const trace = currentWork()?.trace;
    if (trace) tracer?.wait(trace, { began, ended });
    if (slowFrom > 0 && milliseconds >= slowFrom) {
      log.warn({ milliseconds: rounded(milliseconds) }, 'long wait for a connection to the database');
    }
  }

  statement(text: string, waited: number): (error?: unknown) => void {
    const work = currentWork();
    const began = performance.now();
    return (error) => this.#finish(text, waited, work, began, error);
  }

  #finish(text: string, waited: number, work: Work | undefined, began: number, error: unknown): void {
    const { log, slowFrom, tracer } = this.#options;
    const ended = performance.now();
    const milliseconds = ended - began;
    this.#statementSeconds += milliseconds / 1000;
    if (error === undefined) this.#done += 1;
    else this.#failed += 1;
    if (work?.trace) tracer?.statement(work.trace, { text, began, ended, error });
    const isSlow = slowFrom > 0 && milliseconds >= slowFrom;
    if (isSlow) this.#slow += 1;
    if (!isSlow && !log.isLevelEnabled('debug')) return;
    const fields = {
      // Explicit, since the result may arrive in the asynchronous context of other work, as with knex.
      ...workFields(work),
      statement: shortened(text),
      milliseconds: rounded(milliseconds),
      waitedMilliseconds: rounded(waited),
    };
    if (isSlow) log.warn(fields, 'slow statement');
    else log.debug(fields, 'statement');
  }

  readonly families: readonly MetricFamily[] = [
    family({
      name: 'database_waits_total',
      type: 'counter',
      help: 'Requests for a connection of the pool',
      read: single(() => this.#waits),
    }),
    family({
      name: 'database_wait_seconds_total',
      type: 'counter',
      help: 'Time that work waited for a connection of the pool',
      read: single(() => this.#waitSeconds),
    }),
    family({
      name: 'database_statements_total',
      type: 'counter',
      help: 'Statements that succeeded (`done`) or failed (`failed`)',
      labels: ['outcome'],
      read: () => [
        { value: this.#done, labels: { outcome: 'done' } },
        { value: this.#failed, labels: { outcome: 'failed' } },
      ],
    }),
    family({
      name: 'database_statement_seconds_total',
      type: 'counter',
      help: 'Time from sending a statement to its result, over all statements',
      read: single(() => this.#statementSeconds),
    }),
    family({
      name: 'database_slow_statements_total',
      type: 'counter',
      help: 'Statements that took `SLOW_QUERY_MILLISECONDS` or longer: each is logged',
      read: single(() => this.#slow),
    }),
  ];
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= maxTextLength ? line : `${line.slice(0, maxTextLength)}…`;
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100;
}

/**
 * What the rest of a service knows of traces. The libraries that make them are loaded only where they are wanted.
 */
import type { Context } from 'koa';
import type { BackgroundTask } from '../task.ts';

/** Where a span stands, for those beneath it. */
export interface Trace {
  readonly traceId: string;
  readonly spanId: string;
}

/** Times are on the clock of `performance.now()`. */
export interface Span {
  began: number;
  ended: number;
}

export interface StatementSpan extends Span {
  text: string;
  error?: unknown;
}

export interface Tracer {
  /** Begins the span of a request, beneath the caller's if it sent one (W3C Trace Context). */
  beginRequest(ctx: Context): Trace;
  endRequest(ctx: Context, trace: Trace): void;
  /** Begins a trace of its own for the delivery of an event or a run of a job. */
  beginWork(task: BackgroundTask): Trace;
  endWork(trace: Trace, error?: unknown): void;
  /** Tells of a statement that is done, beneath a span. */
  statement(trace: Trace, statement: StatementSpan): void;
  /** Tells of a wait for a connection that is over. */
  wait(trace: Trace, wait: Span): void;
  /** Sends what has not been sent, and ends. */
  stop(): Promise<void>;
}

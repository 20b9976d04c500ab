/**
 * The interface of traces. The libraries that implement it are loaded only if traces are enabled.
 */
import type { Context } from 'koa';
import type { BackgroundTask } from '../task.ts';

/** The context of a span, for its children. */
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
  /** Begins the span of a request, as a child of the caller's span if the request names one (W3C Trace Context). */
  beginRequest(ctx: Context): Trace;
  endRequest(ctx: Context, trace: Trace): void;
  /** Begins a new trace for the delivery of an event or the run of a job. */
  beginWork(task: BackgroundTask): Trace;
  endWork(trace: Trace, error?: unknown): void;
  /** Records a finished statement as a child span. */
  statement(trace: Trace, statement: StatementSpan): void;
  /** Records a finished wait for a connection as a child span. */
  wait(trace: Trace, wait: Span): void;
  /** Sends the remaining spans and stops. */
  stop(): Promise<void>;
}

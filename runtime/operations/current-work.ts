/**
 * What is being worked on: the request, or the delivery of an event. Known to whatever runs for it, however deep, so
 * that a line of the log or a slow statement can say whose it is.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Trace } from './tracing/tracer.ts';

/** A request's `ctx.state` is one. */
export interface Work {
  requestId?: string;
  operationId?: string;
  deliveryId?: string;
  trace?: Trace;
}

const storage = new AsyncLocalStorage<Work>();

/** Runs what belongs to a piece of work. */
export function withCurrentWork<T>(work: Work, run: () => T): T {
  return storage.run(work, run);
}

/** Runs what is begun by a piece of work and does not belong to it: it would go under its name long after its end. */
export function withoutCurrentWork<T>(run: () => T): T {
  return storage.exit(run);
}

export function currentWork(): Work | undefined {
  return storage.getStore();
}

/** What each line of the log says of the work it belongs to. The trace is named as OpenTelemetry names it in logs. */
export function workFields(work = currentWork()): Record<string, string> {
  if (!work) return {};
  const { requestId, operationId, deliveryId, trace } = work;
  return {
    ...(requestId && { requestId }),
    ...(operationId && { operationId }),
    ...(deliveryId && { deliveryId }),
    ...(trace && { trace_id: trace.traceId, span_id: trace.spanId }),
  };
}

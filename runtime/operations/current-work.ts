/**
 * The current work, a request or the delivery of an event, available to all code that runs for it, so that a log line
 * or a slow statement can name it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Trace } from './tracing/tracer.ts';

/** The `ctx.state` of a request is one. */
export interface Work {
  requestId?: string;
  operationId?: string;
  deliveryId?: string;
  trace?: Trace;
}

const storage = new AsyncLocalStorage<Work>();

/** Runs a function as part of this work. */
export function withCurrentWork<T>(work: Work, run: () => T): T {
  return storage.run(work, run);
}

/** Runs a function outside the current work, for what continues after its end. */
export function withoutCurrentWork<T>(run: () => T): T {
  return storage.exit(run);
}

export function currentWork(): Work | undefined {
  return storage.getStore();
}

/**
 * The fields of each log line that name its work. The trace has the field names that OpenTelemetry specifies for logs.
 */
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

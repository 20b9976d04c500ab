/**
 * Traces with OpenTelemetry: spans named by its semantic conventions (HTTP and database 1.2x, stable), sent over OTLP.
 * Loaded only if traces are enabled. Nothing is registered globally, so that two services in one process have separate
 * traces.
 */
import {
  type Attributes,
  DiagLogLevel,
  defaultTextMapGetter,
  diag,
  type Span as OpenSpan,
  ROOT_CONTEXT,
  type Context as SpanContext,
  SpanKind,
  SpanStatusCode,
  trace as traceApi,
} from '@opentelemetry/api';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Context } from 'koa';
import type { Logger } from 'pino';
import { vendor } from '../../vendor.ts';
import type { TracingSettings } from './settings.ts';
import type { Trace, Tracer } from './tracer.ts';

/** A span in progress. Its children use the same clock offset, so that their times are within those of the span. */
interface OpenTrace extends Trace {
  span: OpenSpan;
  context: SpanContext;
  /** Milliseconds to add to `performance.now()` for the wall clock time. */
  clock: number;
}

/** The timeout for sending the remaining spans when the service stops. */
const flushTimeoutMilliseconds = 5000;
/** The least time between two log lines about lost traces. */
const warnIntervalMilliseconds = 60_000;

/** @param about attributes of the service in addition to OTEL_RESOURCE_ATTRIBUTES, such as its version */
export async function openTracer(
  settings: TracingSettings,
  about: Record<string, string>,
  log: Logger,
): Promise<Tracer> {
  const warn = createWarning(log);
  const exporter =
    settings.protocol === 'http/json'
      ? new (await import('@opentelemetry/exporter-trace-otlp-http')).OTLPTraceExporter()
      : new (await import('@opentelemetry/exporter-trace-otlp-proto')).OTLPTraceExporter();
  const processor = new BatchSpanProcessor({ exporter, scheduledDelayMillis: settings.sendEvery });
  const own = { 'service.name': about.name ?? vendor.name, 'service.version': about.version ?? vendor.version };
  const provider = new TracerProvider({
    sampler: samplerOf(settings),
    resource: defaultResource()
      .merge(resourceFromAttributes(own))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer(`${vendor.scope}/runtime`, vendor.version);
  const propagator = new W3CTraceContextPropagator();

  const open = (name: string, kind: SpanKind, attributes: Attributes, parent = ROOT_CONTEXT): OpenTrace => {
    const now = performance.now();
    const clock = Date.now() - now;
    const span = tracer.startSpan(name, { kind, attributes, startTime: now + clock }, parent);
    const { traceId, spanId } = span.spanContext();
    return { traceId, spanId, span, context: traceApi.setSpan(parent, span), clock };
  };
  const close = ({ span, clock }: OpenTrace) => span.end(performance.now() + clock);
  const child = (parent: Trace, name: string, kind: SpanKind, began: number, attributes = {}) => {
    const { context, clock } = parent as OpenTrace;
    return tracer.startSpan(name, { kind, startTime: began + clock, attributes }, context);
  };

  return {
    beginRequest(ctx) {
      const parent = propagator.extract(ROOT_CONTEXT, ctx.headers, defaultTextMapGetter);
      return open(methodOf(ctx.method), SpanKind.SERVER, requestAttributes(ctx), parent);
    },
    endRequest(ctx, trace) {
      const { span } = trace as OpenTrace;
      const { route, operationId, tenant } = ctx.state;
      if (route) span.updateName(`${methodOf(ctx.method)} ${route}`);
      span.setAttributes({
        'http.response.status_code': ctx.status,
        ...(route && { 'http.route': route }),
        ...(operationId && { [`${vendor.name}.operation`]: operationId }),
        ...(tenant && { [`${vendor.name}.tenant`]: tenant }),
      });
      if (ctx.status >= 500) {
        span.setAttribute('error.type', String(ctx.status));
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      close(trace as OpenTrace);
    },
    beginWork({ name, delivery }) {
      const kind = delivery ? SpanKind.CONSUMER : SpanKind.INTERNAL;
      const attributes = delivery
        ? {
            'messaging.operation.type': 'process',
            'messaging.destination.name': delivery.type,
            'messaging.consumer.group.name': name,
            'messaging.message.id': delivery.eventId,
            [`${vendor.name}.delivery_id`]: delivery.deliveryId,
            [`${vendor.name}.attempt`]: delivery.attempt,
          }
        : {};
      const spanName = delivery ? `process ${delivery.type}` : `job ${name}`;
      return open(spanName, kind, attributes);
    },
    endWork(trace, error) {
      const { span } = trace as OpenTrace;
      if (error !== undefined) recordError(span, error);
      close(trace as OpenTrace);
    },
    statement(trace, { text, began, ended, error }) {
      const { span: parent, clock } = trace as OpenTrace;
      if (!parent.isRecording()) return;
      const summary = summaryOf(text);
      const span = child(trace, summary, SpanKind.CLIENT, began, {
        'db.system.name': 'postgresql',
        'db.query.text': text,
        'db.query.summary': summary,
      });
      if (error !== undefined) recordError(span, error);
      span.end(ended + clock);
    },
    wait(trace, { began, ended }) {
      const { span: parent, clock } = trace as OpenTrace;
      if (!parent.isRecording()) return;
      child(trace, 'wait for a connection', SpanKind.INTERNAL, began).end(ended + clock);
    },
    async stop() {
      let timer: NodeJS.Timeout | undefined;
      const timeout = new Promise<void>((resolve) => {
        timer = setTimeout(() => {
          warn(`the collector did not accept the remaining spans within ${flushTimeoutMilliseconds / 1000} s`);
          resolve();
        }, flushTimeoutMilliseconds);
      });
      await Promise.race([provider.shutdown().catch(warn), timeout]).finally(() => clearTimeout(timer));
    },
  };
}

function samplerOf({ sampler, ratio }: TracingSettings): Sampler {
  const root = sampler.endsWith('always_off')
    ? new AlwaysOffSampler()
    : sampler.endsWith('traceidratio')
      ? new TraceIdRatioBasedSampler(ratio)
      : new AlwaysOnSampler();
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The name of the span; HTTP for an unknown method. */
function methodOf(method: string): string {
  return methods.has(method) ? method : 'HTTP';
}

/** Without the query and the caller, which may contain personal data, and without tokens. */
function requestAttributes(ctx: Context) {
  const [address = '', port] = ctx.host.split(/:(?=\d+$)/);
  const known = methods.has(ctx.method);
  return {
    'http.request.method': known ? ctx.method : '_OTHER',
    ...(!known && { 'http.request.method_original': ctx.method }),
    'url.path': ctx.state.loggedPath as string,
    'url.scheme': ctx.protocol,
    'server.address': address,
    ...(port && { 'server.port': Number(port) }),
    'network.protocol.version': ctx.req.httpVersion,
    [`${vendor.name}.request_id`]: ctx.state.requestId as string,
  };
}

/** The command and table of a statement, `select orders`: a name of low cardinality. */
function summaryOf(text: string): string {
  const [, verb = 'query'] = /^[\s(]*(\w+)/.exec(text) ?? [];
  const [, table] = /\b(?:from|into|update|table)\s+"?(\w+)/i.exec(text) ?? [];
  return table && !/^(begin|commit|rollback|set)$/i.test(verb) ? `${verb.toLowerCase()} ${table}` : verb.toLowerCase();
}

/** Records the type of an error, without its message, which may contain values. */
function recordError(span: OpenSpan, error: unknown): void {
  const { code, name } = error as { code?: unknown; name?: string };
  span.setAttribute('error.type', typeof code === 'string' ? code : (name ?? 'Error'));
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Returns a function that logs, at most once in an interval, that traces cannot be sent. */
function createWarning(log: Logger): (reason: unknown) => void {
  let last = Number.NEGATIVE_INFINITY;
  const warn = (reason: unknown) => {
    const now = performance.now();
    if (now - last < warnIntervalMilliseconds) return;
    last = now;
    const message = [reason].flat().map((one) => (one as Error | undefined)?.message || String(one));
    log.warn({ reason: message.join('; ').slice(0, 500) }, 'traces cannot be sent');
  };
  const silent = () => {};
  const logger = { error: warn, warn, info: silent, debug: silent, verbose: silent };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  setGlobalErrorHandler(warn);
  return warn;
}

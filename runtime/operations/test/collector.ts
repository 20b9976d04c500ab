/**
 * A collector of traces that stores the requests it receives over OTLP/HTTP.
 */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

/** A span as OTLP writes it in JSON. */
export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
  status: { code?: number };
}

export interface Collector {
  url: string;
  requests: { path: string; headers: IncomingHttpHeaders; body: Buffer }[];
  /** The spans of requests in JSON. */
  spans(): CollectedSpan[];
  /** The resource attributes of the first request. */
  resource(): Record<string, unknown>;
}

export async function startCollector(t: Test, status = 200): Promise<Collector> {
  const requests: Collector['requests'] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    requests.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) });
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const resourceSpans = () => requests.flatMap(({ body }) => JSON.parse(body.toString()).resourceSpans);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    spans: () =>
      resourceSpans().flatMap((of) => of.scopeSpans.flatMap(({ spans }: { spans: CollectedSpan[] }) => spans)),
    resource: () => attributesOf(resourceSpans()[0].resource),
  };
}

/** Attributes as an object. */
export function attributesOf({ attributes }: Pick<CollectedSpan, 'attributes'>): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

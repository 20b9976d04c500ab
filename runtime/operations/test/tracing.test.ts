/**
 * Traces as a collector receives them, from a box configured with OpenTelemetry's environment variables.
 */
import { randomUUID } from 'node:crypto';
import t from 'tap';
import { echoPackage } from '../../background/test/echo-package.ts';
import { callerOf } from '../../testing/client.ts';
import { vendor } from '../../vendor.ts';
import { readTracing } from '../tracing/settings.ts';
import { startBoxProcess } from './box-process.ts';
import { attributesOf, type CollectedSpan, startCollector } from './collector.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentId = '00f067aa0ba902b7';

/** Starts a box, sends some requests and stops it. */
async function runTraced(t: Parameters<typeof startBoxProcess>[0], environment: Record<string, string>) {
  const box = await startBoxProcess(t, environment);
  const operator = callerOf(box.url, { authorization: `Bearer ${box.secret}` });
  const traceparent = `00-${traceId}-${parentId}-01`;
  const answers = [
    await operator.get('/admin/tenants?limit=1', { headers: { traceparent } }),
    await operator.get('/admin/tenants/0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001?secret=word'),
    await operator.get('/nowhere'),
  ];
  box.child.kill('SIGTERM');
  t.equal(await box.ended, 0);
  return { box, statuses: answers.map(({ status }) => status) };
}

t.test('the spans of requests have those of statements as children, and all are sent', async (t) => {
  const collector = await startCollector(t);
  const { box, statuses } = await runTraced(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-team=stores',
    OTEL_SERVICE_NAME: 'a-box',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  });
  t.strictSame(statuses, [200, 404, 404]);
  t.equal(collector.requests[0]?.path, '/v1/traces');
  t.equal(collector.requests[0]?.headers['x-team'], 'stores');
  t.match(collector.resource(), {
    'service.name': 'a-box',
    'service.version': vendor.version,
    'deployment.environment.name': 'test',
  });

  const spans = collector.spans();
  const servers = spans.filter(({ kind }) => kind === 2);
  t.strictSame(
    servers.map(({ name }) => name),
    ['GET /admin/tenants', 'GET /admin/tenants/:id', 'GET'],
  );
  const [list, one] = servers as [CollectedSpan, CollectedSpan];
  t.match(list, { traceId, parentSpanId: parentId }, 'the caller began the trace');
  t.match(attributesOf(list), {
    'http.request.method': 'GET',
    'http.route': '/admin/tenants',
    'http.response.status_code': 200,
    'url.path': '/admin/tenants',
    'url.scheme': 'http',
    'server.address': '127.0.0.1',
    'carton.operation': 'listTenants',
  });
  t.notOk(one.parentSpanId);
  t.notMatch(JSON.stringify(spans), /secret|word/, 'without the query and the credential');

  const statements = spans.filter(({ traceId: of, kind }) => of === traceId && kind === 3);
  t.ok(statements.length > 0);
  for (const span of statements) {
    t.equal(span.parentSpanId, list.spanId);
    t.match(attributesOf(span), { 'db.system.name': 'postgresql', 'db.query.text': String });
    t.ok(BigInt(span.startTimeUnixNano) >= BigInt(list.startTimeUnixNano), 'it begins within the request');
    t.ok(BigInt(span.endTimeUnixNano) <= BigInt(list.endTimeUnixNano), 'and ends within it');
  }
  t.ok(statements.some(({ name }) => name === 'select tenants'));

  const line = box.log().find(({ operationId }) => operationId === 'listTenants');
  t.match(line, { trace_id: traceId, span_id: list.spanId }, 'the log line names the trace');
});

t.test('traces of deliveries and jobs, with their statements', async (t) => {
  const collector = await startCollector(t);
  const written = await echoPackage(t);
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  };
  const box = await startBoxProcess(t, environment, written);
  const operator = callerOf(box.url, { authorization: `Bearer ${box.secret}` });
  const email = 'owner@shop.example';
  const password = randomUUID();
  const { body: tenant } = await operator.post('/admin/tenants', { slug: 'shop', name: 'Store', staffEmail: email });
  await callerOf(box.url).post('/admin/invites/accept', { token: tenant.invite.token, name: 'Owner', password });
  const { body: login } = await callerOf(box.url).post('/admin/auth/login', { email, password });
  const staff = callerOf(box.url, { authorization: `Bearer ${login.token}` });
  t.match(await staff.post('/admin/echoes', { id: randomUUID(), text: 'one' }), { status: 201 });

  const expected = ['process echo.written', 'job echo.count'];
  const names = () => new Set(collector.spans().map(({ name }) => name));
  while (!expected.every((name) => names().has(name))) await new Promise((resolve) => setTimeout(resolve, 50));
  box.child.kill('SIGTERM');
  t.equal(await box.ended, 0);
  const spans = collector.spans();
  for (const name of expected) {
    const work = spans.find((span) => span.name === name) as CollectedSpan;
    t.notOk(work.parentSpanId, 'a trace of its own');
    const children = spans.filter(({ parentSpanId }) => parentSpanId === work.spanId).map((span) => span.name);
    t.ok(children.includes('insert echo_records'), `${name}: ${children}`);
  }
  const delivery = spans.find(({ name }) => name === 'process echo.written') as CollectedSpan;
  t.match(attributesOf(delivery), {
    'messaging.operation.type': 'process',
    'messaging.destination.name': 'echo.written',
    'messaging.consumer.group.name': /^echo\./,
    'carton.attempt': 1,
  });
});

t.test('protobuf is the default protocol; a sampler with ratio 0 sends nothing', async (t) => {
  const collector = await startCollector(t);
  await runTraced(t, { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/own/path` });
  const [sent] = collector.requests;
  t.equal(sent?.path, '/own/path');
  t.equal(sent?.headers['content-type'], 'application/x-protobuf');
  t.ok(sent?.body.includes('GET /admin/tenants/:id'));
  t.ok(sent?.body.includes(Buffer.from(traceId, 'hex')));

  const silent = await startCollector(t);
  await runTraced(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: silent.url,
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0',
  });
  t.strictSame(silent.requests, []);
});

t.test('a collector that refuses or is unreachable is logged once and delays no request', async (t) => {
  const refusing = await startCollector(t, 400);
  for (const url of [refusing.url, 'http://127.0.0.1:9']) {
    const { box, statuses } = await runTraced(t, { OTEL_EXPORTER_OTLP_ENDPOINT: url });
    t.strictSame(statuses, [200, 404, 404]);
    t.equal(box.log().filter(({ msg }) => msg === 'traces cannot be sent').length, 1, url);
  }
});

t.test('settings', (t) => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
  const off: NodeJS.ProcessEnv[] = [
    {},
    { OTEL_SERVICE_NAME: 'box' },
    { ...endpoint, OTEL_SDK_DISABLED: 'TRUE' },
    { ...endpoint, OTEL_TRACES_EXPORTER: 'none' },
  ];
  for (const environment of off) t.equal(readTracing(environment), null);
  t.strictSame(readTracing(endpoint), {
    protocol: 'http/protobuf',
    sampler: 'parentbased_always_on',
    ratio: 1,
    sendEvery: 5000,
  });
  const refused: [environment: NodeJS.ProcessEnv, message: RegExp][] = [
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector' }, /OTEL_EXPORTER_OTLP_ENDPOINT must be an address/],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'ftp://a' }, /OTEL_EXPORTER_OTLP_TRACES_ENDPOINT must/],
    [{ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /PROTOCOL must be one of http\/protobuf, http\/json/],
    [{ ...endpoint, OTEL_TRACES_SAMPLER: 'some' }, /OTEL_TRACES_SAMPLER must be one of always_on/],
    [{ ...endpoint, OTEL_TRACES_SAMPLER_ARG: '2' }, /OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1/],
    [{ ...endpoint, OTEL_BSP_SCHEDULE_DELAY: 'soon' }, /OTEL_BSP_SCHEDULE_DELAY must be a number/],
  ];
  for (const [environment, message] of refused) t.throws(() => readTracing(environment), message);
  t.end();
});

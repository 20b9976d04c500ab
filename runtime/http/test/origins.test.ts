/**
 * Pages of other origins: CORS headers, and protection of the visitor's cookie against cross-site requests.
 */
import { pino } from 'pino';
import t from 'tap';
import { callerOf } from '../../testing/client.ts';
import { type AccessKind, createApp, listen, object, routeFor, Type } from '../index.ts';

const route = routeFor<object>();
const base = { tag: 'Carts', summary: 'Do something', access: 'visitor' };
const done: string[] = [];
const routes = [
  route(
    { ...base, method: 'get', path: '/cart', operationId: 'readCart', status: 200, response: Type.String() },
    () => 'c',
  ),
  route({ ...base, method: 'post', path: '/cart/clear', operationId: 'clearCart', status: 204 }, () => {
    done.push('clear');
  }),
  route(
    {
      ...base,
      access: 'public',
      method: 'post',
      path: '/open',
      operationId: 'open',
      status: 204,
      body: object({}),
      bodyOptional: true,
    },
    () => undefined,
  ),
];
const visitor: AccessKind<null, string> = {
  name: 'visitor',
  schemes: {
    cookie: { type: 'apiKey', in: 'cookie', name: 'visit' },
    header: { type: 'apiKey', in: 'header', name: 'X-Visit' },
    bearer: { type: 'http', scheme: 'bearer' },
  },
  optional: true,
  authenticate: (ctx) => ctx.get('x-visit') || ctx.cookies.get('visit') || 'guest',
};

const partner = 'https://partner.example';
let lookups = 0;
const app = createApp<null, object>({
  routes,
  accessKinds: [visitor],
  scope: () => null,
  services: () => ({}),
  log: pino({ level: 'silent' }),
  origins: () => {
    lookups++;
    return [partner, 'https://*.shop.example', 'http://localhost:3000'];
  },
});
const server = await listen(app, '127.0.0.1', 0);
t.teardown(() => server.stop());
const caller = callerOf(server.url);
const own = `http://127.0.0.1:${server.port}`;

t.test('a change with a cookie is accepted from our own and allowed origins only', async (t) => {
  const cookie = { cookie: 'other=1; visit=abc' };
  const cases: [what: string, headers: Record<string, string>, status: number][] = [
    ['same origin', { ...cookie, 'sec-fetch-site': 'same-origin', origin: own }, 204],
    ['typed into the address bar', { ...cookie, 'sec-fetch-site': 'none' }, 204],
    ['another site', { ...cookie, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, 403],
    ['another site without an origin', { ...cookie, 'sec-fetch-site': 'cross-site' }, 403],
    ['a sibling host', { ...cookie, 'sec-fetch-site': 'same-site', origin: 'https://evil.shop.example' }, 403],
    ['another site that sends our origin', { ...cookie, 'sec-fetch-site': 'cross-site', origin: own }, 403],
    ['an unknown value', { ...cookie, 'sec-fetch-site': 'sideways' }, 403],
    ['an allowed site', { ...cookie, 'sec-fetch-site': 'cross-site', origin: partner }, 204],
    ['an older browser on our page', { ...cookie, origin: own }, 204],
    ['an older browser elsewhere', { ...cookie, origin: 'https://evil.example' }, 403],
    ['an older browser on another port of ours', { ...cookie, origin: 'http://127.0.0.1:1' }, 403],
    ['a page that hides its origin', { ...cookie, origin: 'null' }, 403],
    ['our host as a prefix of another', { ...cookie, origin: `${own}.evil.example` }, 403],
    ['our host as user information of another', { ...cookie, origin: `${own}@evil.example` }, 403],
    ['a client that is not a browser', cookie, 204],
    ['a credential header besides', { ...cookie, 'x-visit': 'abc', origin: 'https://evil.example' }, 204],
    ['a bearer token besides', { ...cookie, authorization: 'Bearer abc', origin: 'https://evil.example' }, 204],
    ['no cookie', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, 204],
    ['another cookie', { cookie: 'other=1', 'sec-fetch-site': 'cross-site' }, 204],
  ];
  for (const [what, headers, status] of cases) {
    done.length = 0;
    const response = await caller.post('/cart/clear', undefined, { headers });
    t.equal(response.status, status, what);
    t.strictSame(done, status === 204 ? ['clear'] : [], what);
    if (status === 403) t.match(response.body, { code: 'cross_site_request' }, what);
  }
  const foreign = { ...cookie, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
  t.match(await caller.get('/cart', { headers: foreign }), { status: 200 }, 'reads are allowed');
  t.match(
    await caller.post('/open', {}, { headers: foreign }),
    { status: 204 },
    'so are routes without authentication',
  );
});

t.test('CORS headers allow exactly the configured origins', async (t) => {
  const cases: [origin: string, allowed: string | null, credentials: string | null][] = [
    [partner, partner, 'true'],
    ['http://localhost:3000', 'http://localhost:3000', 'true'],
    ['https://a.shop.example', 'https://a.shop.example', null],
    ['https://a.b.shop.example', null, null],
    ['https://shop.example', null, null],
    ['https://a.shop.example:8443', null, null],
    ['http://partner.example', null, null],
    ['https://partner.example.evil.example', null, null],
    ['https://*.shop.example', null, null],
    ['null', null, null],
    [own, null, null],
  ];
  for (const [origin, allowed, credentials] of cases) {
    for (const path of ['/cart', '/nothing']) {
      const { headers } = await caller.get(path, { headers: { origin } });
      t.equal(headers.get('access-control-allow-origin'), allowed, `${path} ${origin}`);
      t.equal(headers.get('access-control-allow-credentials'), credentials, `${path} ${origin}`);
      t.match(headers.get('vary'), /Origin/);
      if (allowed) t.match(headers.get('access-control-expose-headers'), /ETag, Location, Retry-After, RateLimit/);
    }
  }
  lookups = 0;
  t.match((await caller.get('/cart')).headers.get('vary'), /Origin/, 'without an Origin header, too');
  t.equal(lookups, 0, 'which needs no look-up');
});

t.test('a preflight returns the allowed methods and headers', async (t) => {
  const preflight = (path: string, origin: string) =>
    caller.call('OPTIONS', path, { headers: { origin, 'access-control-request-method': 'POST' } });
  const { status, headers } = await preflight('/cart/clear', partner);
  t.equal(status, 204);
  t.equal(headers.get('access-control-allow-origin'), partner);
  t.equal(headers.get('access-control-allow-methods'), 'OPTIONS, POST');
  t.match(headers.get('access-control-allow-headers'), /^Authorization, Content-Type, .*If-Match.*X-Visit$/);
  const accepted = (headers.get('access-control-allow-headers') ?? '').toLowerCase().split(', ');
  for (const name of ['traceparent', 'tracestate', 'baggage', 'sentry-trace', 'b3', 'x-datadog-trace-id']) {
    t.ok(accepted.includes(name), `pages that are traced send ${name}`);
  }
  t.equal(headers.get('access-control-max-age'), '600');
  const rejected = await preflight('/cart/clear', 'https://evil.example');
  t.equal(rejected.headers.get('access-control-allow-origin'), null);
  t.equal(rejected.headers.get('access-control-allow-methods'), null);
  t.match(await preflight('/nothing', partner), { status: 404 });
});

t.test('an application without allowed origins sends no CORS headers', async (t) => {
  const closed = await listen(
    createApp({
      routes,
      accessKinds: [visitor],
      scope: () => null,
      services: () => ({}),
      log: pino({ level: 'silent' }),
    }),
    '127.0.0.1',
    0,
  );
  t.teardown(() => closed.stop());
  const { headers } = await callerOf(closed.url).get('/cart', { headers: { origin: partner } });
  t.equal(headers.get('access-control-allow-origin'), null);
  const foreign = { cookie: 'visit=abc', origin: partner, 'sec-fetch-site': 'cross-site' };
  t.match(await callerOf(closed.url).post('/cart/clear', undefined, { headers: foreign }), { status: 403 });
});

/**
 * Pages of other sites: what browsers are told of them, and what they may not do with a visitor's cookie.
 */
import { pino } from 'pino';
import t from 'tap';
import { callerOf } from '../../testing/client.ts';
import { type AccessKind, createApp, listen, object, routeFor, Type } from '../index.ts';

const route = routeFor<object>();
const base = { tag: 'Carts', summary: 'Does a thing', access: 'visitor' };
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
  authenticate: (ctx) => ctx.get('x-visit') || ctx.cookies.get('visit') || 'nobody',
};

const friend = 'https://friend.example';
let asked = 0;
const app = createApp<null, object>({
  routes,
  accessKinds: [visitor],
  scope: () => null,
  services: () => ({}),
  log: pino({ level: 'silent' }),
  origins: () => {
    asked++;
    return [friend, 'https://*.shop.example', 'http://localhost:3000'];
  },
});
const server = await listen(app, '127.0.0.1', 0);
t.teardown(() => server.stop());
const caller = callerOf(server.url);
const own = `http://127.0.0.1:${server.port}`;

t.test('a change with a cookie comes from our own pages or those that are allowed', async (t) => {
  const cookie = { cookie: 'other=1; visit=abc' };
  const cases: [what: string, headers: Record<string, string>, status: number][] = [
    ['same origin', { ...cookie, 'sec-fetch-site': 'same-origin', origin: own }, 204],
    ['typed into the address bar', { ...cookie, 'sec-fetch-site': 'none' }, 204],
    ['another site', { ...cookie, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, 403],
    ['another site without an origin', { ...cookie, 'sec-fetch-site': 'cross-site' }, 403],
    ['a sibling host', { ...cookie, 'sec-fetch-site': 'same-site', origin: 'https://evil.shop.example' }, 403],
    ['another site that names our origin', { ...cookie, 'sec-fetch-site': 'cross-site', origin: own }, 403],
    ['an unknown word', { ...cookie, 'sec-fetch-site': 'sideways' }, 403],
    ['an allowed site', { ...cookie, 'sec-fetch-site': 'cross-site', origin: friend }, 204],
    ['an older browser on our page', { ...cookie, origin: own }, 204],
    ['an older browser elsewhere', { ...cookie, origin: 'https://evil.example' }, 403],
    ['an older browser on another port of ours', { ...cookie, origin: 'http://127.0.0.1:1' }, 403],
    ['a page that hides its origin', { ...cookie, origin: 'null' }, 403],
    ['our host as a name within another', { ...cookie, origin: `${own}.evil.example` }, 403],
    ['our host as a user of another', { ...cookie, origin: `${own}@evil.example` }, 403],
    ['no browser', cookie, 204],
    ['a header with the credential besides', { ...cookie, 'x-visit': 'abc', origin: 'https://evil.example' }, 204],
    ['a bearer', { ...cookie, authorization: 'Bearer abc', origin: 'https://evil.example' }, 204],
    ['no cookie', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, 204],
    ['a cookie of somebody else', { cookie: 'other=1', 'sec-fetch-site': 'cross-site' }, 204],
  ];
  for (const [what, headers, status] of cases) {
    done.length = 0;
    const answer = await caller.post('/cart/clear', undefined, { headers });
    t.equal(answer.status, status, what);
    t.strictSame(done, status === 204 ? ['clear'] : [], what);
    if (status === 403) t.match(answer.body, { code: 'cross_site_request' }, what);
  }
  const foreign = { ...cookie, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
  t.match(await caller.get('/cart', { headers: foreign }), { status: 200 }, 'a read changes nothing');
  t.match(await caller.post('/open', {}, { headers: foreign }), { status: 204 }, 'nor has this route a credential');
});

t.test('an answer says which page may read it', async (t) => {
  const cases: [origin: string, allowed: string | null, credentials: string | null][] = [
    [friend, friend, 'true'],
    ['http://localhost:3000', 'http://localhost:3000', 'true'],
    ['https://a.shop.example', 'https://a.shop.example', null],
    ['https://a.b.shop.example', null, null],
    ['https://shop.example', null, null],
    ['https://a.shop.example:8443', null, null],
    ['http://friend.example', null, null],
    ['https://friend.example.evil.example', null, null],
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
  asked = 0;
  t.match((await caller.get('/cart')).headers.get('vary'), /Origin/, 'also of an answer that no page asked for');
  t.equal(asked, 0, 'which costs no look-up');
});

t.test('a preflight asks for nothing and is told what may be sent', async (t) => {
  const ask = (path: string, origin: string) =>
    caller.call('OPTIONS', path, { headers: { origin, 'access-control-request-method': 'POST' } });
  const { status, headers } = await ask('/cart/clear', friend);
  t.equal(status, 204);
  t.equal(headers.get('access-control-allow-origin'), friend);
  t.equal(headers.get('access-control-allow-methods'), 'OPTIONS, POST');
  t.match(headers.get('access-control-allow-headers'), /^Authorization, Content-Type, .*If-Match.*X-Visit$/);
  t.equal(headers.get('access-control-max-age'), '600');
  const refused = await ask('/cart/clear', 'https://evil.example');
  t.equal(refused.headers.get('access-control-allow-origin'), null);
  t.equal(refused.headers.get('access-control-allow-methods'), null);
  t.match(await ask('/nothing', friend), { status: 404 });
});

t.test('an application that allows nobody says nothing', async (t) => {
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
  const { headers } = await callerOf(closed.url).get('/cart', { headers: { origin: friend } });
  t.equal(headers.get('access-control-allow-origin'), null);
  const foreign = { cookie: 'visit=abc', origin: friend, 'sec-fetch-site': 'cross-site' };
  t.match(await callerOf(closed.url).post('/cart/clear', undefined, { headers: foreign }), { status: 403 });
});

/**
 * Behaviour of every operation: authentication, validation, responses and problems.
 */

import { pino } from 'pino';
import t from 'tap';
import { callerOf } from '../../testing/client.ts';
import { secretsEqual } from '../credentials.ts';
import {
  type AccessKind,
  bearerToken,
  createApp,
  defineProblem,
  listen,
  nullable,
  object,
  oneOf,
  routeFor,
  Type,
} from '../index.ts';

const route = routeFor<{ caller: { name: string } | null }>();
const Thing = object(
  { id: Type.String(), note: nullable(Type.String()), inner: nullable(object({ kind: oneOf(['a', 'b']) })) },
  { $id: 'Thing' },
);
const outOfStock = defineProblem({ code: 'out_of_stock', status: 409, title: 'Out of stock' });
const base = { tag: 'Things', summary: 'Does a thing', access: 'public' as const };

const routes = [
  route(
    {
      ...base,
      method: 'get',
      path: '/things/:id',
      operationId: 'readThing',
      status: 200,
      response: Thing,
      params: object({ id: Type.String({ pattern: '^t\\d+$' }) }),
    },
    ({ params }) => ({
      id: params.id,
      note: null,
      inner: { kind: 'a' as const, secret: 'x' },
      secret: 'never sent',
    }),
  ),
  route(
    { ...base, method: 'get', path: '/things/special', operationId: 'readSpecial', status: 200, response: Thing },
    () => ({ id: 's', note: 'n', inner: null }),
  ),
  route(
    {
      ...base,
      method: 'get',
      path: '/things',
      operationId: 'listThings',
      status: 200,
      response: Type.Array(Type.Integer()),
      query: object({ limit: Type.Integer({ minimum: 1, maximum: 10, default: 3 }) }),
    },
    ({ query }) => [query.limit],
  ),
  route(
    {
      ...base,
      method: 'post',
      path: '/things',
      operationId: 'createThing',
      status: 201,
      response: Thing,
      location: '/things/{id}',
      body: object({ id: Type.String({ minLength: 2 }), inner: Type.Optional(object({ 'a/b': Type.Integer() })) }),
      bodyLimit: 2000,
    },
    ({ body }) => ({ id: body.id, note: null, inner: null }),
  ),
  route(
    {
      ...base,
      method: 'delete',
      path: '/things/:id',
      operationId: 'removeThing',
      status: 204,
      params: object({ id: Type.String() }),
    },
    () => undefined,
  ),
  route({ ...base, method: 'post', path: '/sales', operationId: 'sell', status: 200, problems: [outOfStock] }, () => {
    throw outOfStock('Nothing left.', { headers: { 'Retry-After': '9' } });
  }),
  route({ ...base, method: 'post', path: '/undeclared', operationId: 'throwUndeclared', status: 200 }, () => {
    throw outOfStock();
  }),
  route(
    { ...base, method: 'get', path: '/deep/things/:name', operationId: 'readDeep', status: 200, response: Thing },
    ({ params }) => ({ id: params.name, note: null, inner: null }),
  ),
  route(
    {
      ...base,
      method: 'get',
      path: '/deep/things/special',
      operationId: 'readDeepSpecial',
      status: 200,
      response: Thing,
    },
    () => ({ id: 's', note: null, inner: null }),
  ),
  route(
    { ...base, method: 'get', path: '/mismatch', operationId: 'returnMismatch', status: 200, response: Thing },
    () => ({ id: 'x', note: null, inner: { kind: 'c' } }) as never,
  ),
  route({ ...base, method: 'get', path: '/crash', operationId: 'crash', status: 200 }, () => {
    throw new Error('select * from secrets');
  }),
  route(
    {
      ...base,
      method: 'get',
      path: '/members',
      operationId: 'readMember',
      status: 200,
      access: ['door', 'window'],
      permission: 'members:read',
      response: Type.String(),
    },
    ({ caller }) => caller?.name ?? '',
  ),
];

const kind = (name: string, secret: string, rights: string[]): AccessKind<null, { name: string }> => ({
  name,
  schemes: { [name]: { type: 'http', scheme: 'bearer' } },
  authenticate: (ctx) => (secretsEqual(bearerToken(ctx), secret) ? { name } : null),
  permits: (_, permission) => rights.includes(permission),
});

const app = createApp<null, { caller: { name: string } | null }, { name: string }>({
  routes: routes as never,
  accessKinds: [kind('door', 'key-of-the-door', ['members:read']), kind('window', 'key-of-the-window', [])],
  scope: () => null,
  services: (_, __, caller) => ({ caller }),
  log: pino({ level: 'silent' }),
  strictResponses: true,
});
const server = await listen(app, '127.0.0.1', 0);
t.teardown(() => server.stop());
const caller = callerOf(server.url);

t.test('a response has the declared properties and no others', async (t) => {
  const { status, body, headers } = await caller.get('/things/t1');
  t.equal(status, 200);
  t.strictSame(body, { id: 't1', note: null, inner: { kind: 'a' } });
  t.equal(headers.get('x-content-type-options'), 'nosniff');
  t.equal(headers.get('cache-control'), 'no-store');
  t.match(await caller.get('/mismatch'), { status: 500, body: { code: 'internal_error' } });
});

t.test('a literal path takes precedence over a parameter, in any order of declaration', async (t) => {
  t.match(await caller.get('/things/special'), { status: 200, body: { id: 's' } });
  t.match(await caller.get('/deep/things/special'), { status: 200, body: { id: 's' } });
  t.match(await caller.get('/deep/things/other'), { status: 200, body: { id: 'other' } });
  t.match(await caller.get('/things/t22'), { status: 200, body: { id: 't22' } });
});

t.test('a read with a matching If-None-Match is 304', async (t) => {
  const etag = (await caller.get('/things/t1')).headers.get('etag') as string;
  for (const value of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    t.match(await caller.get('/things/t1', { headers: { 'if-none-match': value } }), { status: 304, body: '' }, value);
  }
  t.match(await caller.get('/things/t1', { headers: { 'if-none-match': '"other"' } }), { status: 200 });
});

t.test('a valid request id is used, an invalid one is replaced', async (t) => {
  const valid = await caller.get('/nothing', { headers: { 'x-request-id': 'abc-1' } });
  t.equal(valid.headers.get('x-request-id'), 'abc-1');
  t.equal(valid.body.instance, 'urn:request:abc-1');
  const replaced = await caller.get('/nothing', { headers: { 'x-request-id': 'a b' } });
  t.match(replaced.headers.get('x-request-id'), /^[0-9a-f-]{36}$/);
});

const json = { 'content-type': 'application/json' };
const rejections: [what: string, method: string, path: string, options: object, expected: object][] = [
  ['an unknown path', 'GET', '/nothing', {}, { status: 404, body: { code: 'not_found' } }],
  ['an invalid path parameter', 'GET', '/things/x', {}, { status: 404, body: { code: 'not_found' } }],
  ['a wrong method', 'PUT', '/things/t1', {}, { status: 405, body: { code: 'method_not_allowed' } }],
  [
    'a missing body',
    'POST',
    '/things',
    {},
    { status: 400, body: { code: 'invalid_request', errors: [{ pointer: '' }] } },
  ],
  ['malformed JSON', 'POST', '/things', { body: '{"id":' }, { status: 400, body: { code: 'malformed_json' } }],
  [
    'a missing field',
    'POST',
    '/things',
    { body: {} },
    { status: 400, body: { errors: [{ in: 'body', pointer: '/id' }] } },
  ],
  [
    'an unknown field',
    'POST',
    '/things',
    { body: { id: 'ab', 'x/y': 1 } },
    { status: 400, body: { errors: [{ pointer: '/x~1y' }] } },
  ],
  [
    'a nested field of the wrong type',
    'POST',
    '/things',
    { body: { id: 'ab', inner: { 'a/b': 'c' } } },
    { status: 400, body: { errors: [{ pointer: '/inner/a~1b' }] } },
  ],
  ['__proto__', 'POST', '/things', { body: '{"id":"ab","__proto__":{}}' }, { status: 400 }],
  [
    'a body that is not an object',
    'POST',
    '/things',
    { body: '7' },
    { status: 400, body: { errors: [{ pointer: '' }] } },
  ],
  [
    'a wrong media type',
    'POST',
    '/things',
    { body: 'id=ab', headers: { 'content-type': 'text/plain' } },
    { status: 415, body: { code: 'unsupported_media_type' } },
  ],
  [
    'a large body',
    'POST',
    '/things',
    { body: { id: 'a'.repeat(3000) } },
    { status: 413, body: { code: 'body_too_large' } },
  ],
  [
    'a query out of range',
    'GET',
    '/things?limit=11',
    {},
    { status: 400, body: { errors: [{ in: 'query', pointer: '/limit' }] } },
  ],
  ['a query parameter that is not a number', 'GET', '/things?limit=x', {}, { status: 400 }],
  ['an undeclared parameter', 'GET', '/things?other=1', {}, { status: 400, body: { errors: [{ pointer: '/other' }] } }],
  ['no credential', 'GET', '/members', {}, { status: 401, body: { code: 'unauthenticated' } }],
  ['a wrong credential', 'GET', '/members', { headers: { authorization: 'Bearer no' } }, { status: 401 }],
  [
    'a credential without the permission',
    'GET',
    '/members',
    { headers: { authorization: 'Bearer key-of-the-window' } },
    { status: 403, body: { code: 'forbidden' } },
  ],
  [
    'a declared problem',
    'POST',
    '/sales',
    {},
    { status: 409, body: { code: 'out_of_stock', detail: 'Nothing left.' } },
  ],
  ['an undeclared problem', 'POST', '/undeclared', {}, { status: 500, body: { code: 'internal_error' } }],
];
t.test('every rejection is a problem that says what is wrong', async (t) => {
  for (const [what, method, path, options, expected] of rejections) {
    const { body } = options as { body?: unknown };
    const response = await caller.call(method, path, {
      ...options,
      headers: { ...(body ? json : {}), ...(options as { headers?: object }).headers },
    });
    t.match(response, expected, what);
    t.equal(response.headers.get('content-type'), 'application/problem+json', what);
    t.match(
      response.body,
      { type: /^urn:/, title: /./, detail: /./, status: response.status, instance: /^urn:request:/ },
      what,
    );
  }
});

t.test('an internal error reveals no internals', async (t) => {
  const { status, body } = await caller.get('/crash');
  t.equal(status, 500);
  t.notMatch(JSON.stringify(body), /secrets|select|at /);
});

t.test('response headers', async (t) => {
  t.equal((await caller.put('/things/t1')).headers.get('allow'), 'DELETE, GET, HEAD, OPTIONS');
  t.match(await caller.call('OPTIONS', '/things'), { status: 204 });
  t.equal((await caller.post('/things', { id: 'a b' })).headers.get('location'), '/things/a%20b');
  t.equal((await caller.get('/members')).headers.get('www-authenticate'), 'Bearer');
  t.equal((await caller.post('/sales')).headers.get('retry-after'), '9');
  t.match(await caller.delete('/things/t1'), { status: 204, body: '' });
  t.match(await caller.call('HEAD', '/things/t1'), { status: 200, body: '' });
  t.strictSame((await caller.get('/things')).body, [3], 'a default is filled in');
});

t.test('an optional access kind must return a caller', async (t) => {
  const open: AccessKind<null, { name: string }> = {
    name: 'open',
    schemes: { open: { type: 'http', scheme: 'bearer' } },
    optional: true,
    authenticate: (ctx) => (bearerToken(ctx) === 'silent' ? null : { name: bearerToken(ctx) ?? 'guest' }),
  };
  const served = { ...base, method: 'get', path: '/name', operationId: 'readName', status: 200 } as const;
  const app = createApp<null, { caller: { name: string } | null }, { name: string }>({
    routes: [
      route(
        { ...served, access: 'open', response: Type.String() },
        ({ caller }) => caller?.name ?? 'a caller is missing',
      ),
    ],
    accessKinds: [open],
    scope: () => null,
    services: (_, __, caller) => ({ caller }),
    log: pino({ level: 'silent' }),
  });
  const server = await listen(app, '127.0.0.1', 0);
  t.teardown(() => server.stop());
  const as = (token: string) => callerOf(server.url, { authorization: `Bearer ${token}` }).get('/name');
  t.match(await callerOf(server.url).get('/name'), { status: 200, body: 'guest' });
  t.match(await as('ada'), { status: 200, body: 'ada' });
  t.match(await as('silent'), { status: 500, body: { code: 'internal_error' } });
});

t.test('conflicting or invalid routes fail at the start', async (t) => {
  const build = (more: unknown[]) => () =>
    createApp({
      routes: [...routes, ...more] as never,
      accessKinds: [kind('door', 's', []), kind('window', 's', [])],
      scope: () => null,
      services: () => ({}),
      log: pino({ level: 'silent' }),
    });
  const extra = (change: object) =>
    route(
      { ...base, method: 'get', path: '/extra', operationId: 'extra', status: 204, ...change } as never,
      () => undefined as never,
    );
  t.throws(build([extra({ operationId: 'readThing' })]), /duplicate operationId readThing/);
  t.throws(build([extra({ path: '/things/:other' })]), /both declare GET/);
  t.throws(build([extra({ access: 'chimney' })]), /unknown access "chimney"/);
});

t.test('a port in use is named in the error', async (t) => {
  await t.rejects(listen(app, '127.0.0.1', server.port), new RegExp(`port ${server.port} is already in use`));
});

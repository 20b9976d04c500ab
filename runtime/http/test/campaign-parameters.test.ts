/**
 * Query parameters that campaigns append to addresses: reads of visitors ignore them, routes of programs do not.
 */

import { pino } from 'pino';
import t from 'tap';
import { callerOf } from '../../testing/client.ts';
import { exactly } from '../../testing/exactly.ts';
import { type AccessKind, createApp, listen, object, routeFor, Type } from '../index.ts';
import { serviceRoutes } from '../service-routes.ts';

const route = routeFor<object>();
const query = object({ ref_src: Type.Optional(Type.String()), limit: Type.Optional(Type.Integer()) });
const base = { tag: 'Things', summary: 'Do something', status: 200, query, response: query } as const;
const answer = ({ query }: { query: object }) => query as { limit?: number };
const routes = [
  route({ ...base, method: 'get', path: '/public', operationId: 'readPublic', access: 'public' }, answer),
  route({ ...base, method: 'get', path: '/cart', operationId: 'readCart', access: 'visitor' }, answer),
  route({ ...base, method: 'get', path: '/admin', operationId: 'readAdmin', access: 'staff' }, answer),
  route({ ...base, method: 'get', path: '/both', operationId: 'readBoth', access: ['staff', 'visitor'] }, answer),
  route({ ...base, method: 'post', path: '/public', operationId: 'change', access: 'public' }, answer),
];
const kind = (name: string, more: object): AccessKind<null, string> => ({
  ...{ name, schemes: { [name]: { type: 'apiKey', in: 'header', name } }, authenticate: () => name },
  ...more,
});
const app = createApp<null, object>({
  routes: [
    ...routes,
    ...serviceRoutes<object>({
      ...{ name: 'box', about: {}, metricsReaders: ['staff'], page: async () => '', metrics: async () => '' },
      ...{ pendingMigrations: async () => [], isDraining: () => true, document: async () => '' as never },
    }),
  ],
  accessKinds: [kind('visitor', { isVisitor: true, optional: true }), kind('staff', {})],
  scope: () => null,
  services: () => ({}),
  log: pino({ level: 'silent' }),
});
const server = await listen(app, '127.0.0.1', 0);
t.teardown(() => server.stop());
const caller = callerOf(server.url);

const appended = [
  ...['utm_source=mail&utm_medium=a&utm_campaign=b', 'utm_id=1', 'UTM_Source=x', 'gclid=abc', 'gbraid=1&gad_source=5'],
  ...['fbclid=IwAR0', 'msclkid=1', 'ttclid=1', 'li_fat_id=1', 'yclid=1', 'srsltid=1', 'mc_cid=1&mc_eid=2', '_hsenc=1'],
  ...[
    '_gl=1*a*b',
    'ScCid=1',
    'epik=1',
    'irclickid=1',
    'mtm_campaign=x',
    '_=1700000000000',
    'utm_source=a&utm_source=b',
  ],
];

t.test('reads of visitors ignore them', async (t) => {
  for (const text of appended) {
    for (const path of ['/public', '/cart']) {
      const { status, body } = await caller.get(`${path}?limit=3&${text}`);
      t.strictSame([status, body], [200, { limit: 3 }], `${path} ${text}`);
    }
  }
  t.match(await caller.get('/public?ref_src=a'), { status: 200, body: { ref_src: 'a' } }, 'one that the route has');
});

t.test('a misspelled parameter is still rejected', async (t) => {
  for (const text of ['limt=3', 'utm=1', 'xutm_source=1', 'gclidx=1', 'limit=x', '__proto__=1', 'constructor=1']) {
    t.match(await caller.get(`/public?${text}`), { status: 400, body: { code: 'invalid_request' } }, text);
  }
});

t.test('routes of programs and changes reject them', async (t) => {
  for (const path of ['/admin', '/both']) t.match(await caller.get(`${path}?utm_source=x`), { status: 400 }, path);
  t.match(await caller.post('/public?utm_source=x'), { status: 400 });
});

t.test('health ignores what probes append', async (t) => {
  for (const text of ['t=1', '_=1', 'nocache=0.123', '1700000000', 'v=1&ts=2', 'utm_source=x', '']) {
    t.match(await caller.get(`/health?${text}`), { status: 503, body: { code: 'not_ready' } }, text);
    t.match(await caller.get(`/health?probe=live&${text}`), { status: 200, body: { status: 'ok' } }, text);
  }
  t.match(await caller.get('/health?probe=dead'), { status: 400 });
});

t.test('escapes that are not UTF-8 are refused, in parameters of a read alone', async (t) => {
  const errors = exactly([{ in: 'query', pointer: '/ref_src', detail: 'must be percent-encoded in UTF-8' }]);
  t.match(await caller.get('/public?ref_src=M%FCller'), { status: 400, body: { errors } });
  for (const text of ['ref_src=M%C3%BCller', 'ref_src=%ef%bf%bd', 'utm_term=M%FCller&ref_src=x', 'ref_src=%']) {
    t.equal((await caller.get(`/public?${text}`)).status, 200, text);
  }
});

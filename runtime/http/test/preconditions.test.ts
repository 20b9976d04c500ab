/**
 * `If-Match` when the current state cannot be read: 503 while the database is busy, 412 for other problems.
 */

import { pino } from 'pino';
import t from 'tap';
import { callerOf } from '../../testing/client.ts';
import { completeRoutes } from '../complete.ts';
import { createApp, defineProblem, listen, object, routeFor, Type } from '../index.ts';
import { etagExcept, etagOf, matchesExactly, matchesWeakly, rejectStale } from '../preconditions.ts';
import { unavailable } from '../problems.ts';

const conflict = defineProblem({ code: 'torn', status: 409, title: 'The note is torn' });
const route = routeFor<object>();
const response = object({ title: Type.String() }, { $id: 'Note' });
const base = { tag: 'Notes', access: 'public', path: '/note', status: 200, response, problems: [conflict] } as const;
const busy = new Error('busy');
let fault: unknown = busy;
let changes = 0;
const declared = [
  route({ ...base, method: 'get', operationId: 'readNote', summary: 'Read' }, () => {
    throw fault;
  }),
  route({ ...base, method: 'patch', operationId: 'changeNote', summary: 'Change' }, () => {
    changes++;
    return { title: 'changed' };
  }),
];
const routes = completeRoutes(declared, { accessKinds: [], conditional: true, rateLimited: false });
const app = createApp({
  routes,
  accessKinds: [],
  scope: () => null,
  services: () => ({}),
  log: pino({ level: 'silent' }),
  translateError: (error) =>
    error === busy ? unavailable('Try again.', { headers: { 'Retry-After': '5' } }) : undefined,
  runConsistently: (services, _, work) => work(services),
});
const server = await listen(app, '127.0.0.1', 0);
t.teardown(() => server.stop());
const caller = callerOf(server.url);

for (const ifMatch of ['"any"', '*']) {
  t.test(`If-Match: ${ifMatch}`, async (t) => {
    const change = () => caller.patch('/note', undefined, { headers: { 'if-match': ifMatch } });
    fault = busy;
    t.match(await change(), { status: 503, body: { code: 'unavailable' } }, 'the client can retry');
    fault = conflict();
    t.match(await change(), { status: 412, body: { code: 'precondition_failed' } }, 'no representation matches');
    t.equal(changes, 0);
  });
}

t.test('tags as servers in front of a box return them', (t) => {
  const own = etagOf('{"title":"Bowl"}');
  const name = own.slice(1, -1);
  const forms = [
    own,
    `W/${own}`,
    `"${name}-gzip"`,
    `W/"${name}-br"`,
    `"${name}-zstd"`,
    `"other", W/"${name}-gzip" , "third"`,
  ];
  for (const form of forms) {
    t.equal(matchesExactly(form, own), true, form);
    t.equal(matchesWeakly(form, own), true, form);
  }
  for (const other of [`"${name}-x"`, `"${name}-gzip-gzip"`, '"-gzip"', `"x${name}"`, 'W/"other"', '""']) {
    t.equal(matchesExactly(other, own), false, other);
    t.equal(matchesWeakly(other, own), false, other);
  }
  // A hash may end like this.
  for (const odd of ['"abc-gzip"', '"-br"']) {
    t.equal(matchesExactly(odd, odd), true, odd);
    t.equal(matchesExactly(odd.replace(/-\w+"$/, '"'), odd), false, odd);
  }
  t.end();
});

t.test('a tag of a version names it whole, as others do', (t) => {
  const tag = etagExcept('{"title":"Bowl","tasks":[]}', ['tasks']);
  const later = etagExcept('{"title":"Bowl","tasks":["wash"]}', ['tasks']);
  const name = tag.slice(1, -1);
  for (const form of [tag, `W/${tag}`, `"${name}-gzip"`, `"other", W/"${name}-br"`])
    t.doesNotThrow(() => rejectStale(form, later, true), form);
  const changed = etagExcept('{"title":"Cup","tasks":[]}', ['tasks']);
  const [version] = name.split('.');
  for (const other of [`"${name}--gzip"`, `"${name};gzip"`, `"${name}-x"`, `"${version}"`, `"${version}.x"`, changed])
    t.throws(() => rejectStale(other, later, true), /has changed/, other);
  t.end();
});

/**
 * `?fields=`: only the selected fields are returned, and the handler gets their names.
 */
import { pino } from 'pino';
import t from 'tap';
import { callerOf } from '../../testing/client.ts';
import { exactly } from '../../testing/exactly.ts';
import { createApp, listen, object, pageOf, pageQuery, routeFor, Type } from '../index.ts';

const route = routeFor<object>();
const Book = object({ id: Type.String(), title: Type.String(), pages: Type.Integer() }, { $id: 'Book' });
const book = { id: 'b', title: 'T', pages: 3 };
let selected: string[] | null = null;
const base = {
  tag: 'Books',
  summary: 'Read books',
  access: 'public',
  method: 'get',
  status: 200,
  fields: true,
} as const;
const routes = [
  route(
    { ...base, path: '/books', operationId: 'listBooks', query: pageQuery(), response: pageOf(Book, 'BookPage') },
    ({ fields }) => {
      selected = fields && [...fields];
      return { items: [book, book], nextCursor: null };
    },
  ),
  route({ ...base, path: '/books/:name', operationId: 'readBook', response: Book }, () => book),
];
const options = {
  accessKinds: [],
  scope: () => null,
  services: () => ({}),
  log: pino({ level: 'silent' }),
  strictResponses: true,
};
const server = await listen(createApp({ routes, ...options }), '127.0.0.1', 0);
t.teardown(() => server.stop());
const caller = callerOf(server.url);

t.test('the response has the selected fields of each item', async (t) => {
  t.strictSame((await caller.get('/books?fields=id,pages')).body, {
    items: [
      { id: 'b', pages: 3 },
      { id: 'b', pages: 3 },
    ],
    nextCursor: null,
  });
  t.strictSame(selected, ['id', 'pages']);
  t.strictSame((await caller.get('/books?limit=5')).body.items, [book, book]);
  t.equal(selected, null);
  t.strictSame((await caller.get('/books/b?fields=title')).body, { title: 'T' });
  t.strictSame((await caller.get('/books/b')).body, book);
});

t.test('unknown fields are rejected', async (t) => {
  t.strictSame((await caller.get('/books/b?fields=')).body, book, 'an empty parameter of a public read is none');
  for (const fields of ['id,secret', ',', 'id,,title', 'ID', '__proto__', 'constructor', 'id, title', 'x'.repeat(99)]) {
    t.match(
      await caller.get(`/books?fields=${encodeURIComponent(fields)}`),
      { status: 400, body: { code: 'invalid_request', errors: exactly([{ in: 'query', pointer: '/fields' }]) } },
      fields,
    );
  }
});

t.test('a response without properties cannot declare fields', (t) => {
  const odd = route({ ...base, path: '/odd', operationId: 'odd', response: Type.String() }, () => '');
  t.throws(() => createApp({ routes: [odd], ...options }), /odd has no fields to select from/);
  t.end();
});

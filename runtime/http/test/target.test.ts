/**
 * The host of a request, by its Host header or target, and responses to malformed HTTP.
 */
import { connect } from 'node:net';
import { pino } from 'pino';
import t from 'tap';
import { exactly } from '../../testing/exactly.ts';
import { createApp, listen, object, routeFor, Type } from '../index.ts';

const route = routeFor<{ host: string; target: string }>();
const Target = object({ host: Type.String(), target: Type.String() });
const readThing = route(
  {
    method: 'get',
    path: '/things/:word',
    operationId: 'readThing',
    tag: 'Things',
    summary: 'Read',
    access: 'public',
    query: object({ q: Type.Optional(Type.String()) }),
    status: 200,
    response: Target,
  },
  ({ host, target }) => ({ host, target }),
);

async function serve(trustProxy: string | false = false) {
  const app = createApp<null, { host: string; target: string }>({
    routes: [readThing],
    accessKinds: [],
    scope: () => null,
    services: (ctx) => ({ host: ctx.host, target: ctx.originalUrl }),
    log: pino({ level: 'silent' }),
    trustProxy,
  });
  const server = await listen(app, '127.0.0.1', 0);
  t.teardown(() => server.stop());
  return (head: string) => exchange(server.port, head);
}

interface Answer {
  status: number;
  type: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: problems and things.
  body: any;
}

/** Sends a request head verbatim and parses the response. */
function exchange(port: number, head: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${head}\r\nConnection: close\r\n\r\n`));
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', reject).on('end', () => {
      const [head = '', body = ''] = text.split('\r\n\r\n');
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
      const type = /^content-type: (.*)$/im.exec(head)?.[1];
      resolve({ status, type, body: body === '' ? null : JSON.parse(body) });
    });
  });
}

const plain = await serve();
const get = 'GET /things/one?q=1 HTTP/1.1';
const problem = 'application/problem+json';

t.test('a request needs exactly one valid Host header', async (t) => {
  const valid = ['shop.example', 'SHOP.example:8080', 'box_1:3001', '127.0.0.1', '[::1]:3001', 'a.', ''];
  for (const host of valid) {
    t.match(await plain(`${get}\r\nHost: ${host}`), { status: 200, body: { host, target: '/things/one?q=1' } }, host);
  }
  const invalid = [
    'a,b',
    'a.example, b.example',
    'a@b',
    'a b',
    'a/b',
    'a?b',
    'a#b',
    'a\\b',
    'a%41',
    '[::1',
    'a:b',
    ':80',
    'ä',
  ];
  for (const host of [...invalid, 'a'.repeat(300)]) {
    const { status, type, body } = await plain(`${get}\r\nHost: ${host}`);
    t.strictSame([status, type, body.code], [400, `${problem}`, 'invalid_request'], host);
    t.strictSame(body.errors, [{ in: 'header', pointer: '/Host', detail: 'is not a valid host' }], host);
  }
  for (const lines of ['Host: a.example\r\nHost: b.example', 'Host: a.example\r\nX-A: b\r\nHOST: a.example']) {
    const { status, body } = await plain(`${get}\r\n${lines}`);
    t.strictSame([status, body.errors], [400, [{ in: 'header', pointer: '/Host', detail: 'is duplicate' }]], lines);
  }
  t.match(await plain(get), { status: 400, type: problem, body: { errors: exactly([{ detail: 'is missing' }]) } });
  t.match(await plain('GET /things/one HTTP/1.0'), { status: 200, body: { host: '' } }, 'optional in HTTP/1.0');
});

t.test('a target in absolute form overrides the Host header', async (t) => {
  const of = (target: string, host = 'header.example') => plain(`GET ${target} HTTP/1.1\r\nHost: ${host}`);
  const named = { status: 200, body: { host: 'target.example', target: '/things/one' } };
  t.strictSame((await of('http://target.example/things/one')).body, named.body);
  t.match(await of('HTTPS://target.example/things/one'), named);
  t.match(await of('http://target.example:8080/things/one?q=1'), {
    status: 200,
    body: { host: 'target.example:8080', target: '/things/one?q=1' },
  });
  t.match(await of('http://target.example'), { status: 404, body: { detail: 'There is no resource at /.' } });
  for (const target of [
    'http:///things/one',
    'http://a@b/things/one',
    'http://a,b/things/one',
    'ftp://a/things/one',
    'things',
  ]) {
    t.match(await of(target), { status: 400, type: problem, body: { code: 'invalid_request' } }, target);
  }
  t.match(
    await of('http://target.example/things/one', 'a,b'),
    { status: 400 },
    'the Host header has to be valid nevertheless',
  );
});

t.test('a forwarded host has to be valid, too', async (t) => {
  const behind = await serve('loopback');
  const forwarded = (host: string) => `${get}\r\nHost: box\r\nX-Forwarded-Host: ${host}`;
  t.match(await behind(forwarded('shop.example')), { status: 200, body: { host: 'shop.example' } });
  t.match(await behind(forwarded('claimed, shop.example')), { status: 200, body: { host: 'shop.example' } });
  for (const host of ['a@b', 'a b', 'a/b']) {
    const { status, body } = await behind(forwarded(host));
    t.strictSame([status, body.errors?.[0]?.pointer], [400, '/X-Forwarded-Host'], host);
  }
  t.match(
    await plain(forwarded('a@b')),
    { status: 200, body: { host: 'box' } },
    'without a trusted proxy it is ignored',
  );
});

t.test('a request line or headers that are too long are 431, and malformed HTTP is 400', async (t) => {
  const host = 'Host: shop.example';
  for (const length of [17_000, 500_000]) {
    const long = 'x'.repeat(length);
    for (const head of [`GET /things/one?q=${long} HTTP/1.1\r\n${host}`, `${get}\r\n${host}\r\nX-Long: ${long}`]) {
      t.match(await plain(head), { status: 431, type: problem, body: { code: 'headers_too_large', status: 431 } });
    }
  }
  for (const head of ['GET', 'nothing at all', `${get}\r\n${host}\r\nno colon`, `${get}\r\n${host}\r\nA: \u0001`]) {
    t.match(await plain(head), { status: 400, type: problem, body: { code: 'invalid_request' } }, head);
  }
});

t.test('a path whose escapes are no text names nothing, on any route', async (t) => {
  const send = await serve();
  const detail = 'The path must be percent-encoded in UTF-8, without the character U+0000.';
  const refused = { status: 404, body: { code: 'not_found', detail } };
  for (const path of [
    '/things/%00',
    '/things/a%00b',
    '/things/%C3%28',
    '/things/%ff',
    '/things/100%',
    '/things/%zz',
    '/%C3%28',
  ])
    for (const method of ['GET', 'POST', 'OPTIONS'])
      t.match(await send(`${method} ${path} HTTP/1.1\r\nHost: a.example`), refused, `${method} ${path}`);
  for (const path of ['/things/%C3%A4', '/things/%25', '/things/a%2Fb?q=%41'])
    t.match(await send(`GET ${path} HTTP/1.1\r\nHost: a.example`), { status: 200 }, path);
});

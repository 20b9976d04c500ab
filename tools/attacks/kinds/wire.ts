/**
 * Requests as bytes: framing that servers in front may read in another way, and spellings of paths.
 */
import type { Attack } from '../attack.ts';
import type { Observation } from '../observation.ts';
import { sellIn } from '../sale.ts';
import type { Target } from '../target.ts';
import { send, sendBytes } from '../wire.ts';

type Service = [name: string, port: number];

const servicesOf = ({ box, controlPlane, registry }: Target): Service[] => [
  ['box', box.port],
  ['control plane', controlPlane.port],
  ['registry', registry.port],
];

/** A second request that a server in front would not see. */
const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n';
const chunked = `0\r\n\r\n${smuggled}`;

/** Head lines after the first, and the body; each is ambiguous. */
const ambiguous: [what: string, lines: string[], body: string][] = [
  ['a length and chunks', ['Content-Length: 4', 'Transfer-Encoding: chunked'], chunked],
  ['chunks and a length', ['Transfer-Encoding: chunked', `Content-Length: ${chunked.length}`], chunked],
  ['two lengths', ['Content-Length: 0', `Content-Length: ${smuggled.length}`], smuggled],
  ['a list of lengths', [`Content-Length: 0, ${smuggled.length}`], smuggled],
  ['a length with a sign', ['Content-Length: +0'], smuggled],
  ['a negative length', ['Content-Length: -1'], smuggled],
  ['a length in hexadecimal', ['Content-Length: 0x0'], smuggled],
  ['chunks twice', ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], chunked],
  ['chunks that are not last', ['Transfer-Encoding: chunked, identity'], chunked],
  ['an unknown encoding', ['Transfer-Encoding: xchunked'], chunked],
  ['a space before the colon', ['Transfer-Encoding : chunked'], chunked],
  ['a folded line', ['X-A: b', ' Transfer-Encoding: chunked'], chunked],
  ['a line that ends with LF', ['X-A: b\nTransfer-Encoding: chunked'], chunked],
  ['a CR in a line', ['X-A: b\rTransfer-Encoding: chunked'], chunked],
  ['a NUL in a line', ['X-A: b\0', 'Content-Length: 0'], smuggled],
  ['a vertical tab in the encoding', ['Transfer-Encoding: \x0bchunked'], chunked],
  ['a name with a line end', ['X-A', 'Content-Length: 0'], smuggled],
  ['a chunk of a wrong size', ['Transfer-Encoding: chunked'], `-1\r\n\r\n0\r\n\r\n${smuggled}`],
  ['a chunk of a huge size', ['Transfer-Encoding: chunked'], `fffffffffffffffff\r\n\r\n0\r\n\r\n${smuggled}`],
  ['a chunk that ends with LF', ['Transfer-Encoding: chunked'], `0\n\n${smuggled}`],
];

/** Sends one of them: one answer may come, a refusal, and the connection is closed. */
async function sendAmbiguous(
  [name, port]: Service,
  [what, lines, body]: (typeof ambiguous)[number],
  observe: Observation,
) {
  const head = ['POST /smuggling HTTP/1.1', 'Host: x', 'Content-Type: application/json', ...lines];
  const answers = await sendBytes(port, `${head.join('\r\n')}\r\n\r\n${body}`);
  observe.refused(`${name}: ${what}`, answers[0] ?? { status: 0 }, { status: 400 });
  observe.is(`${name}: answers to ${what}`, answers.length, 1);
}

/** Spellings of `/admin/orders`, and what staff get there. */
const spellings: [path: string, ofStaff: number][] = [
  ['/admin/orders', 200],
  ['/admin/orders/', 200],
  ['/ADMIN/orders', 404],
  ['//admin/orders', 404],
  ['/admin//orders', 404],
  ['/./admin/orders', 404],
  ['/products/../admin/orders', 404],
  ['/products/%2e%2e/admin/orders', 404],
  ['/products/..%2fadmin/orders', 404],
  ['/products/..;/admin/orders', 404],
  ['/admin%2forders', 404],
  ['/%61dmin/orders', 404],
  ['/admin/orders;x', 404],
  ['/admin/orders.', 404],
  ['/admin/orders.json', 404],
  ['/admin/orders%00', 404],
  ['/admin/orders%20', 404],
  ['/admin\\orders', 404],
  ['/admin/orders%2f', 404],
];

export const wire: readonly Attack[] = [
  {
    name: 'wire: request smuggling',
    tries: 'two lengths, lengths with chunks, folded lines, bare LF and other ambiguous framing, with a hidden request',
    async run(target, observe) {
      for (const service of servicesOf(target)) {
        const [name, port] = service;
        const good = ['POST /smuggling HTTP/1.1', 'Host: x', 'Transfer-Encoding: chunked', 'Connection: close', '', ''];
        const [answer] = await sendBytes(port, `${good.join('\r\n')}2\r\n{}\r\n0\r\n\r\n`);
        const { status: right } = await send(port, { method: 'POST', path: '/smuggling', body: {} });
        observe.works(`${name}: a request in chunks`, answer ?? { status: 0 }, right);
        for (const each of ambiguous) await sendAmbiguous(service, each, observe);
      }
    },
  },
  {
    name: 'wire: limits of heads',
    tries: 'heads without an end, of hundreds of kilobytes, with thousands of lines, and methods that are not there',
    async run(target, observe) {
      for (const [name, port] of servicesOf(target)) {
        observe.works(
          `${name}: a path that is not there`,
          await send(port, { path: '/smuggled' }),
          name === 'registry' ? 401 : 404,
        );
        const long = await sendBytes(port, `GET /x HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(300_000)}\r\n\r\n`);
        observe.refused(`${name}: a long line`, long[0] ?? { status: 0 }, { status: 431 });
        const many = await sendBytes(port, `GET /x HTTP/1.1\r\nHost: x\r\n${'X-Many: 1\r\n'.repeat(20_000)}\r\n`);
        observe.refused(`${name}: many lines`, many[0] ?? { status: 0 }, { status: 431 });
        for (const first of ['GET', 'nothing at all', 'GET /x HTTP/9.9', 'GE\0T /x HTTP/1.1']) {
          const answers = await sendBytes(port, `${first}\r\nHost: x\r\nConnection: close\r\n\r\n`);
          observe.refused(`${name}: ${first}`, answers[0] ?? { status: 0 }, { status: 400 });
        }
      }
    },
  },
  {
    name: 'wire: spellings of paths',
    tries:
      'nobody reads orders by paths with dots, escapes, NUL, semicolons and other cases; what staff get there, nobody does',
    async run(target, observe) {
      const store = await target.openStore();
      await sellIn(store);
      const { port } = target.box;
      for (const [path, ofStaff] of spellings) {
        const staff = await send(port, { path, headers: store.staff.headers });
        observe.works(`staff at ${path}`, staff, ofStaff);
        const nobody = await send(port, { path, headers: store.visitor().headers });
        observe.refused(path, nobody, { status: ofStaff === 200 ? 401 : 404 });
      }
      for (const path of [
        '/docs/../../box.env',
        '/docs/..%2f..%2fbox.env',
        '/docs/%2e%2e/%2e%2e/box.env',
        '/docs/static/....//....//box.env',
        '/downloads/..%2f..%2fbox.env',
        '/.env',
        '/box.env',
        '/.git/config',
      ]) {
        const answer = await send(port, { path, headers: store.visitor().headers });
        observe.refused(path, answer, { status: 404, code: 'not_found' });
      }
    },
  },
  {
    name: 'wire: spellings at the control plane',
    tries: 'nobody lists licence keys by paths with dots, escapes, NUL, semicolons and other cases',
    async run(target, observe) {
      const { port, admin } = target.controlPlane;
      const own = spellings.map(
        ([path, right]) =>
          [path.replace('orders', 'keys').replace('admin', 'license').replace('ADMIN', 'LICENSE'), right] as const,
      );
      for (const [path, ofAdmin] of own) {
        observe.works(`the administrator at ${path}`, await send(port, { path, headers: admin.headers }), ofAdmin);
        observe.refused(path, await send(port, { path }), { status: ofAdmin === 200 ? 401 : 404 });
      }
    },
  },
];

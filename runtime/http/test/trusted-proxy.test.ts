/**
 * Forwarded headers: only the values that trusted proxies have added are used.
 */
import { pino } from 'pino';
import t from 'tap';
import { callerOf } from '../../testing/client.ts';
import { createApp, listen, object, routeFor, Type } from '../index.ts';
import { isSharedAddress, trustedProxy } from '../trusted-proxy.ts';

interface Seen {
  ip: string;
  host: string;
  protocol: string;
  secure: boolean;
  isShared: boolean;
}
const route = routeFor<{ seen: Seen }>();
const read = route(
  {
    method: 'get',
    path: '/me',
    operationId: 'readMe',
    tag: 'Me',
    summary: 'Read the client address',
    access: 'public',
    status: 200,
    response: object({ ip: Type.String(), host: Type.String(), protocol: Type.String(), isShared: Type.Boolean() }),
  },
  ({ seen }) => seen,
);

async function serve(t: { teardown(task: () => Promise<void>): void }, trustProxy: boolean | string) {
  const app = createApp<null, { seen: Seen }>({
    routes: [read],
    accessKinds: [],
    scope: () => null,
    services: ({ ip, host, protocol, secure, req }) => ({
      seen: { ip, host, protocol, secure, isShared: isSharedAddress({ ip, req }) },
    }),
    log: pino({ level: 'silent' }),
    trustProxy,
  });
  const server = await listen(app, '127.0.0.1', 0);
  t.teardown(() => server.stop());
  const own = `127.0.0.1:${server.port}`;
  return async (headers: Record<string, string>) => {
    const response = await callerOf(server.url).get('/me', { headers });
    const { ip, host, protocol, isShared } = response.body;
    return { seen: [ip, host === own ? 'own' : host, protocol].join(' '), isShared, headers: response.headers };
  };
}

const forwarded = (entries: string, host?: string, proto?: string) => ({
  'x-forwarded-for': entries,
  ...(host && { 'x-forwarded-host': host }),
  ...(proto && { 'x-forwarded-proto': proto }),
});

const cases: [setting: boolean | string, headers: Record<string, string>, seen: string][] = [
  [false, forwarded('192.0.2.1', 'evil.example', 'https'), '127.0.0.1 own http'],
  ['false', forwarded('192.0.2.1', 'evil.example', 'https'), '127.0.0.1 own http'],
  ['10.0.0.0/8', forwarded('192.0.2.1', 'evil.example', 'https'), '127.0.0.1 own http'],
  [true, forwarded('192.0.2.1', 'shop.example', 'https'), '192.0.2.1 shop.example https'],
  ['1', forwarded('192.0.2.1'), '192.0.2.1 own http'],
  ['1', {}, '127.0.0.1 own http'],
  [
    '1',
    forwarded('203.0.113.9, 192.0.2.1', 'evil.example, shop.example', 'https, http'),
    '192.0.2.1 shop.example http',
  ],
  [
    '2',
    forwarded('203.0.113.9, 192.0.2.1, 10.0.0.1', 'evil.example, shop.example, inner'),
    '192.0.2.1 shop.example http',
  ],
  ['2', forwarded('192.0.2.1'), '192.0.2.1 own http'],
  ['loopback', forwarded('203.0.113.9, 192.0.2.1', 'shop.example', 'https'), '192.0.2.1 shop.example https'],
  ['loopback, 10.0.0.0/8', forwarded('203.0.113.9, 192.0.2.1, 10.1.2.3, 127.0.0.1'), '192.0.2.1 own http'],
  ['loopback, private', forwarded('172.16.0.1, 10.1.2.3'), '172.16.0.1 own http'],
  ['127.0.0.1', forwarded('[2001:db8::1]:443'), '2001:db8::1 own http'],
  ['127.0.0.1', forwarded('192.0.2.1:5000'), '192.0.2.1 own http'],
  ['127.0.0.1', forwarded('::ffff:192.0.2.1'), '192.0.2.1 own http'],
  ['127.0.0.1', forwarded('::ffff:c000:201'), '192.0.2.1 own http'],
  ['127.0.0.1', forwarded('[::ffff:0:192.0.2.1]:443'), '192.0.2.1 own http'],
  ['127.0.0.1', forwarded('64:ff9b::192.0.2.1'), '192.0.2.1 own http'],
  ['loopback, private', forwarded('192.0.2.1, ::ffff:0:10.1.2.3'), '192.0.2.1 own http'],
  ['loopback', forwarded('192.0.2.1, unknown'), '127.0.0.1 own http'],
  ['loopback', forwarded('<script>'), '127.0.0.1 own http'],
  ['loopback', forwarded(','), '127.0.0.1 own http'],
];

t.test('the client is the first address that is not a trusted proxy', async (t) => {
  for (const [setting, headers, seen] of cases) {
    const request = await serve(t, setting);
    t.equal((await request(headers)).seen, seen, `${setting} ${JSON.stringify(headers)}`);
  }
});

t.test('proxies and addresses that are not public may send the requests of many clients', async (t) => {
  const shared: [setting: boolean | string, entries: string, isShared: boolean][] = [
    [false, '203.0.113.9', true],
    ['loopback', '203.0.113.9', false],
    ['loopback', '203.0.113.9, unknown', true],
    ['loopback, 203.0.113.0/24', '203.0.113.9', true],
    ['loopback, 203.0.113.0/24', '192.0.2.1, 203.0.113.9', false],
    ['1', '203.0.113.9', false],
    ['loopback', '2001:db8::1', false],
    ...['10.1.2.3', '172.31.0.1', '192.168.0.1', '169.254.1.1', '100.64.0.1', 'fd00::1', 'fe80::1'].map(
      (address): [string, string, boolean] => ['loopback', address, true],
    ),
    ['loopback', '100.128.0.1', false],
    ['loopback', '::ffff:0:10.1.2.3', true],
    ['loopback', '::ffff:0:203.0.113.9', false],
  ];
  for (const [setting, entries, isShared] of shared) {
    const request = await serve(t, setting);
    t.equal((await request(forwarded(entries))).isShared, isShared, `${setting} ${entries}`);
  }
});

t.test('TLS at a trusted proxy counts as TLS', async (t) => {
  const hsts = 'strict-transport-security';
  const secure = forwarded('192.0.2.1', undefined, 'https');
  t.match((await (await serve(t, 'loopback'))(secure)).headers.get(hsts), /^max-age=31536000$/);
  t.equal((await (await serve(t, 'loopback'))({})).headers.get(hsts), null);
  t.equal((await (await serve(t, false))(secure)).headers.get(hsts), null);
});

t.test('an invalid setting is an error', (t) => {
  for (const wrong of ['yes', '10', '-1', '10.0.0.0/33', '::1/129', 'loopback,', 'example.com', '', '10.0.0.0/8 ,x']) {
    t.throws(() => trustedProxy(wrong), /is neither a number of proxies nor an address or range/, wrong);
  }
  t.equal(trustedProxy('0'), null);
  t.end();
});

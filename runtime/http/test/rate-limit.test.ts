/**
 * Rate limits: the algorithm, the response headers, and how callers and guesses are counted.
 */

import { pino } from 'pino';
import t from 'tap';
import { callerOf } from '../../testing/client.ts';
import { addressBlock } from '../address.ts';
import { Guesses } from '../guesses.ts';
import {
  type AccessKind,
  bearerToken,
  createApp,
  listen,
  noRateLimits,
  RateLimiter,
  type RateLimits,
  routeFor,
} from '../index.ts';
import { unauthenticated } from '../problems.ts';

t.test('a caller may send a burst of one minute, then one request per share of it', (t) => {
  let now = 5_000;
  const limiter = new RateLimiter({ ...noRateLimits, read: 3 }, { clock: () => now });
  const allowed = (caller = 'a') => limiter.take('read', caller)?.allowed;
  t.match(limiter.take('read', 'a'), { allowed: true, remaining: 2, restoredIn: 20_000, retryIn: 0 });
  t.strictSame([allowed(), allowed(), allowed()], [true, true, false], 'one minute in a burst');
  t.match(limiter.take('read', 'a'), { allowed: false, remaining: 0, restoredIn: 60_000, retryIn: 20_000 });
  t.equal(allowed('b'), true, 'another caller has its own quota');
  now += 19_999;
  t.equal(allowed(), false, 'a rejected request does not count');
  now += 1;
  t.strictSame([allowed(), allowed()], [true, false], 'one more for each share of the minute');
  now += 120_000;
  t.strictSame(
    [allowed(), allowed(), allowed(), allowed()],
    [true, true, true, false],
    'unused quota does not accumulate',
  );
  t.equal(limiter.take('write', 'a'), null, 'a class without a limit');
  t.end();
});

t.test('memory is bounded, and active callers stay tracked', (t) => {
  let now = 0;
  const limiter = new RateLimiter({ ...noRateLimits, read: 1 }, { clock: () => now, maxCallers: 1000 });
  t.equal(limiter.take('read', 'busy')?.allowed, true);
  for (let number = 0; number < 20_000; number++) {
    limiter.take('read', `attacker ${number}`);
    if (number === 100) t.equal(limiter.take('read', 'busy')?.allowed, false);
  }
  t.ok(limiter.size <= 1001, `${limiter.size}`);
  now = 60_000;
  t.equal(limiter.take('read', 'busy')?.allowed, true);
  t.end();
});

t.test('IPv6 addresses are counted by network', (t) => {
  const cases: [address: string, block: string][] = [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['0:0:0:0:0:FFFF:192.0.2.1', '192.0.2.1'],
    ['::ffff:0:192.0.2.1', '192.0.2.1'],
    ['::ffff:0:c000:201', '192.0.2.1'],
    ['::192.0.2.1', '192.0.2.1'],
    ['64:ff9b::192.0.2.1', '192.0.2.1'],
    ['64:ff9b:1::c000:201', '192.0.2.1'],
    ['2002:c000:201::1', '192.0.2.1'],
    ['2002:c000:201:ffff::1', '192.0.2.1'],
    ['2001:0:4136:e378:8000:63bf:3fff:fdfe', '192.0.2.1'],
    ['2001:db8::ffff:192.0.2.1', '2001:db8:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002:ffff::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ];
  for (const [address, block] of cases) t.equal(addressBlock(address), block, address);
  t.end();
});

const route = routeFor<object>();
const base = { tag: 'Things', summary: 'Do something', status: 204 } as const;
const routes = [
  route({ ...base, method: 'get', path: '/things', operationId: 'listThings', access: 'public' }, () => undefined),
  route({ ...base, method: 'post', path: '/things', operationId: 'createThing', access: 'key' }, () => undefined),
  route({ ...base, method: 'post', path: '/login', operationId: 'logIn', access: 'public' }, () => undefined),
  route(
    { ...base, method: 'post', path: '/buy', operationId: 'buy', access: 'key', rateLimit: 'checkout' },
    () => undefined,
  ),
  route({ ...base, method: 'get', path: '/mine', operationId: 'readMine', access: ['own', 'key'] }, () => undefined),
  route({ ...base, method: 'get', path: '/cart', operationId: 'readCart', access: 'guest' }, () => undefined),
  route(
    { ...base, method: 'get', path: '/alive', operationId: 'alive', access: 'public', rateLimit: false },
    () => undefined,
  ),
];
const guest: AccessKind<string | null, string> = {
  name: 'guest',
  schemes: { guest: { type: 'http', scheme: 'bearer' } },
  optional: true,
  authenticate(ctx) {
    if (bearerToken(ctx) !== null) throw unauthenticated();
    return '';
  },
};
const key: AccessKind<string | null, string> = {
  name: 'key',
  schemes: { key: { type: 'http', scheme: 'bearer' } },
  authenticate(ctx) {
    const token = bearerToken(ctx);
    return token?.startsWith('key-') ? token : null;
  },
};

async function serve(t: { teardown(task: () => Promise<void>): void }, limits: Partial<RateLimits>) {
  const limiter = new RateLimiter({ ...noRateLimits, ...limits });
  const app = createApp<string | null, object, string>({
    routes,
    accessKinds: [key, { ...key, name: 'own' }, guest],
    scope: (ctx) => ctx.get('x-tenant') || null,
    services: () => ({}),
    log: pino({ level: 'silent' }),
    trustProxy: 'loopback',
    rateLimits: {
      limiter,
      guesses: new Guesses(limiter, (scope) => scope ?? ''),
      callerName: (ctx, _, caller) => (caller === 'key-free' ? null : caller || addressBlock(ctx.ip)),
    },
  });
  const server = await listen(app, '127.0.0.1', 0);
  t.teardown(() => server.stop());
  return {
    from: (address: string, token?: string) =>
      callerOf(server.url, {
        'x-forwarded-for': address,
        ...(token && { authorization: `Bearer ${token}` }),
      }),
  };
}

t.test('a response has the remaining quota, and a rejection has Retry-After', async (t) => {
  const { from } = await serve(t, { read: 2 });
  const caller = from('192.0.2.1');
  const first = await caller.get('/things');
  t.equal(first.status, 204);
  t.equal(first.headers.get('ratelimit-policy'), '"read";q=2;w=60');
  t.equal(first.headers.get('ratelimit'), '"read";r=1;t=30');
  await caller.get('/things');
  const rejected = await caller.get('/things');
  t.match(rejected, { status: 429, body: { code: 'too_many_requests' } });
  t.match(rejected.headers.get('ratelimit'), /^"read";r=0;t=\d\d$/);
  t.match(rejected.headers.get('retry-after'), /^(30|29|28)$/);
  t.equal((await from('192.0.2.2').get('/things')).status, 204, 'another address');
  t.equal((await caller.get('/alive')).headers.get('ratelimit'), null, 'a route without a rate class');
  t.equal((await caller.post('/login')).headers.get('ratelimit'), null, 'a class without a limit');
});

t.test('the declaration determines the rate class', async (t) => {
  const { from } = await serve(t, { read: 9, write: 8, login: 7, checkout: 6 });
  const policy = async (method: string, path: string) =>
    (await from('192.0.2.1', 'key-1').call(method, path)).headers.get('ratelimit-policy');
  t.equal(await policy('GET', '/things'), '"read";q=9;w=60');
  t.equal(await policy('POST', '/things'), '"write";q=8;w=60');
  t.equal(await policy('POST', '/login'), '"login";q=7;w=60');
  t.equal(await policy('POST', '/buy'), '"checkout";q=6;w=60');
});

t.test('an authenticated caller is counted across addresses', async (t) => {
  const { from } = await serve(t, { write: 1 });
  t.equal((await from('192.0.2.1', 'key-1').post('/things')).status, 204);
  t.equal((await from('192.0.2.9', 'key-1').post('/things')).status, 429);
  t.equal((await from('192.0.2.1', 'key-2').post('/things')).status, 204);
  for (let call = 0; call < 3; call++) t.equal((await from('192.0.2.1', 'key-free').post('/things')).status, 204);
});

t.test('clients in one IPv6 network are one caller', async (t) => {
  const { from } = await serve(t, { read: 1 });
  t.equal((await from('2001:db8::1').get('/things')).status, 204);
  t.equal((await from('2001:db8::2').get('/things')).status, 429);
  t.equal((await from('2001:db8:0:1::2').get('/things')).status, 204);
});

t.test('only clients that guess credentials are limited', async (t) => {
  const { from } = await serve(t, { login: 3 });
  const guess = async (caller: ReturnType<typeof from>, headers = {}) =>
    (await caller.post('/things', undefined, { headers })).status;
  const statuses: number[] = [];
  for (let at = 0; at < 5; at++) statuses.push(await guess(from('192.0.2.1', `wrong-${at}`)));
  t.strictSame(statuses, [401, 401, 401, 429, 429]);
  const rejected = await from('192.0.2.1', 'wrong-9').post('/things');
  t.match(rejected.headers.get('retry-after'), /^\d+$/);
  t.equal(await guess(from('192.0.2.1', 'key-1')), 204, 'a valid credential from the same address');
  t.equal(await guess(from('192.0.2.1', 'wrong-0')), 401, 'a guess that was already counted');
  t.equal(await guess(from('192.0.2.1')), 401, 'no credential is no guess');
  t.equal(await guess(from('192.0.2.1', 'wrong-7'), { 'x-tenant': 'other' }), 401, 'for another tenant');
  t.equal(await guess(from('192.0.2.2', 'wrong-7')), 401, 'from another address');
  t.equal((await from('192.0.2.1').get('/things')).status, 204, 'a public route');
  t.equal((await from('192.0.2.1', 'wrong-7').get('/mine')).status, 401, 'another access kind');
});

t.test('a page that polls with an expired token is one guess', async (t) => {
  const { from } = await serve(t, { login: 3 });
  const page = from('192.0.2.1', 'expired');
  for (let call = 0; call < 10; call++) t.equal((await page.post('/things')).status, 401);
  t.equal((await from('192.0.2.1', 'wrong-1').post('/things')).status, 401);
});

t.test('guesses are not counted where the credential is optional', async (t) => {
  const { from } = await serve(t, { login: 3 });
  for (let call = 0; call < 10; call++) t.equal((await from('192.0.2.1', `wrong-${call}`).get('/cart')).status, 401);
});

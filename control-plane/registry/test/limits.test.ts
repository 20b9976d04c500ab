// Limits of customers and addresses: what they count, and what stays free of them.

import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { RegistryOptions } from '../index.ts';
import { addressBlock, createLimits, defaultLimits, guessesPerMinute, trustedProxy } from '../limits.ts';
import { makePackage, npm, openRegistry, prepareStorage, publishSecret, send, waitUntil } from '../testing/index.ts';

const storageWithPackages = await prepareStorage(
  t,
  { name: '@carton/core', version: '1.0.0', carton: { tier: 'basic' } },
  { name: '@carton/cart', version: '1.2.0', carton: { tier: 'basic' }, dependencies: { '@carton/core': '1.0.0' } },
);
const packument = '/@carton/cart';
const tarball = '/@carton/cart/-/cart-1.2.0.tgz';

async function start(t: Test, limits: Partial<typeof defaultLimits>, options: Partial<RegistryOptions> = {}) {
  const storage = await storageWithPackages(t);
  const opened = await openRegistry(t, { storage, limits: { ...defaultLimits, ...limits }, ...options });
  const { registry } = opened;
  const packages = ['@carton/cart', '@carton/core'];
  const tokenOf = (sub: string, license?: string) => opened.tokenOf({ sub, license, packages });
  /** Status, code and Retry-After of a request. */
  const outcome = async (path: string, bearer?: string, headers: Record<string, string> = {}) => {
    const { status, headers: answered, body } = await send(registry, path, bearer, { headers });
    return [status, status < 400 ? undefined : JSON.parse(body).code, answered['retry-after']];
  };
  return { registry, storage, tokenOf, outcome };
}

t.test('each customer has requests of his own, whichever licence he uses', async (t) => {
  let elapsed = 0;
  const { tokenOf, outcome } = await start(t, { requests: 60, burst: 3 }, { elapsed: () => elapsed });
  const [one, sibling, other] = await Promise.all([
    tokenOf('customer-1', 'licence-1'),
    tokenOf('customer-1', 'licence-2'),
    tokenOf('customer-2', 'licence-3'),
  ]);
  const served = [200, undefined, undefined];
  const refused = [429, 'too_many_requests', '1'];
  t.strictSame(await outcome(packument, one), served);
  t.strictSame(await outcome(tarball, sibling), served);
  t.strictSame(await outcome('/-/v1/search?text=x', one), [403, 'publisher_only', undefined]);
  for (const path of [packument, tarball, '/-/v1/search?text=x']) t.strictSame(await outcome(path, one), refused, path);
  t.strictSame(await outcome(packument, sibling), refused);
  for (let count = 0; count < 3; count += 1) t.strictSame(await outcome(packument, other), served);
  for (let count = 0; count < 5; count += 1) t.strictSame(await outcome(packument, publishSecret), served);
  elapsed += 1000;
  t.strictSame(await outcome(packument, one), served);
  t.strictSame(await outcome(packument, one), refused);
});

t.test('a full bucket holds the burst; 0 is no limit', async (t) => {
  let elapsed = 0;
  const limits = createLimits({ ...defaultLimits, requests: 60, burst: 2 }, trustedProxy('false'), () => elapsed);
  const taken = () => {
    for (let count = 0; ; count += 1) {
      try {
        limits.countRequest('customer-1');
      } catch {
        return count;
      }
    }
  };
  t.equal(taken(), 2);
  elapsed += 1_500;
  t.equal(taken(), 1);
  elapsed += 3_600_000;
  t.equal(taken(), 2);
  const unlimited = createLimits(
    { requests: 0, burst: 1, tarballs: 0, wrongTokens: 0 },
    trustedProxy('false'),
    () => 0,
  );
  for (let count = 0; count < 1000; count += 1) {
    unlimited.countRequest('customer-1');
    unlimited.startTarball('customer-1');
  }
});

t.test('tarballs at a time are limited for each customer, until their downloads end', async (t) => {
  const { registry, storage, tokenOf, outcome } = await start(t, { tarballs: 1 });
  const [one, other] = await Promise.all([tokenOf('customer-1'), tokenOf('customer-2')]);
  // More than the buffers of a connection hold.
  await writeFile(join(storage, 'packages', '@carton/cart/cart-1.2.0.tgz'), Buffer.alloc(32 * 1024 * 1024));
  const outgoing = request(`${registry.localUrl}${tarball}`, { headers: { Authorization: `Bearer ${one}` } }).end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  response.on('error', () => {});
  t.strictSame(await outcome('/@carton/core/-/core-1.0.0.tgz', one), [429, 'too_many_tarballs', '5']);
  t.strictSame(await outcome(packument, one), [200, undefined, undefined], 'a packument is not limited');
  t.strictSame(await outcome('/@carton/core/-/core-1.0.0.tgz', other), [200, undefined, undefined]);
  outgoing.destroy();
  await waitUntil(async () => (await outcome('/@carton/core/-/core-1.0.0.tgz', one))[0] === 200);
  t.strictSame((await outcome('/@carton/core/-/core-9.9.9.tgz', one))[0], 404);
  t.strictSame((await outcome('/@carton/core/-/core-1.0.0.tgz', one))[0], 200, 'a refused download has ended, too');
});

t.test('wrong tokens of an address are limited, right ones and other addresses are not', async (t) => {
  let elapsed = 0;
  const { tokenOf, outcome } = await start(
    t,
    { wrongTokens: 2 },
    { trustedProxy: trustedProxy('loopback'), elapsed: () => elapsed },
  );
  const token = await tokenOf('customer-1');
  const from = (address: string) => ({ 'X-Forwarded-For': `198.51.100.9, ${address}` });
  const wrong = [401, 'token_invalid', undefined];
  const limited = [429, 'too_many_wrong_tokens', '30'];
  t.strictSame(await outcome(packument, 'wrong', from('2001:db8::1')), wrong);
  t.strictSame(await outcome(packument, 'wrong', from('2001:db8::2')), wrong);
  t.strictSame(await outcome(packument, 'wrong', from('2001:db8::3')), limited, 'the same network of IPv6');
  t.strictSame(await outcome(packument, token, from('2001:db8::1')), [200, undefined, undefined]);
  t.strictSame(await outcome(packument, undefined, from('2001:db8::1')), [401, 'token_missing', undefined]);
  t.strictSame(await outcome(packument, 'wrong', from('192.0.2.1')), wrong, 'another address');
  elapsed += 30_000;
  t.strictSame(await outcome(packument, 'wrong', from('2001:db8::1')), wrong);

  const alone = await start(t, { wrongTokens: 1 });
  t.strictSame(await alone.outcome(packument, 'wrong', from('192.0.2.1')), wrong);
  const [status] = await alone.outcome(packument, 'wrong', from('192.0.2.2'));
  t.equal(status, 429, 'without a trusted proxy the header does not count');
});

t.test("too many guesses at the publisher's secret are refused; the right one and tokens are not", async (t) => {
  let elapsed = 0;
  const { tokenOf, outcome } = await start(t, {}, { trustedProxy: trustedProxy('loopback'), elapsed: () => elapsed });
  const token = await tokenOf('customer-1');
  const here = { 'X-Forwarded-For': '2001:db8::1' };
  const served = [200, undefined, undefined];
  const limited = [429, 'too_many_wrong_secrets', '3'];
  const ofToken = [401, 'token_invalid', undefined];
  for (let count = 0; count < 30; count += 1) t.strictSame(await outcome(packument, `${token}x`, here), ofToken);
  for (let count = 0; count < guessesPerMinute; count += 1) {
    t.strictSame(await outcome(packument, publishSecret, here), served, 'a right secret counts as nothing');
    t.strictSame(await outcome(packument, `guess-${count}`, here), ofToken);
  }
  t.strictSame(await outcome(packument, 'another-guess', here), limited);
  t.strictSame(await outcome(packument, 'a-guess', { 'X-Forwarded-For': '2001:db8::2' }), limited, 'its network');
  t.strictSame(await outcome(packument, token, here), served);
  t.strictSame(await outcome(packument, publishSecret, here), served);
  t.strictSame(await outcome(packument, 'a-guess', { 'X-Forwarded-For': '192.0.2.1' }), ofToken);
  elapsed += 3_000;
  t.strictSame(await outcome(packument, 'a-guess', here), ofToken);
});

t.test('a short secret of the publisher is not compared for an address with too many wrong ones', async (t) => {
  const { tokenOf, outcome } = await start(
    t,
    {},
    { trustedProxy: trustedProxy('loopback'), publishSecret: 'short-secret-123' },
  );
  const here = { 'X-Forwarded-For': '2001:db8::1' };
  for (let count = 0; count < guessesPerMinute; count += 1) await outcome(packument, `guess-${count}`, here);
  t.equal((await outcome(packument, 'short-secret-123', here))[0], 429);
  t.equal((await outcome(packument, await tokenOf('customer-1'), here))[0], 200);
  t.equal((await outcome(packument, 'short-secret-123', { 'X-Forwarded-For': '192.0.2.1' }))[0], 200);
});

t.test('addresses in the form in which they are counted', async (t) => {
  t.equal(addressBlock('::ffff:192.0.2.1'), '192.0.2.1');
  for (const form of [
    '::ffff:c000:201',
    '::ffff:0:192.0.2.1',
    '::192.0.2.1',
    '64:ff9b::192.0.2.1',
    '64:ff9b:1::c000:201',
    '2002:c000:201:ffff::1',
    '2001:0:4136:e378:8000:63bf:3fff:fdfe',
  ])
    t.equal(addressBlock(form), '192.0.2.1', form);
  t.equal(addressBlock('::1'), addressBlock('::'));
  t.equal(addressBlock('2001:db8:0:1::1'), addressBlock('2001:db8:0:1:ffff::2'));
  t.not(addressBlock('2001:db8:0:1::1'), addressBlock('2001:db8:0:2::1'));
  t.equal(addressBlock('unknown'), 'unknown');
  t.ok(trustedProxy('1')('192.0.2.1', 0));
  t.notOk(trustedProxy('1')('192.0.2.1', 1));
  t.ok(trustedProxy('private, 192.0.2.0/24')('10.1.2.3', 0));
  t.notOk(trustedProxy('private, 192.0.2.0/24')('198.51.100.1', 0));
});

t.test('npm waits and tries again after a 429', async (t) => {
  let elapsed = 0;
  let refused = 0;
  const { registry, tokenOf } = await start(
    t,
    { requests: 60, burst: 1 },
    {
      elapsed: () => elapsed,
      log(_level, _message, fields) {
        if (fields?.code !== 'too_many_requests') return;
        refused += 1;
        elapsed += 1000;
      },
    },
  );
  const folder = await makePackage(t, { name: 'project', version: '1.0.0' });
  const token = await tokenOf('customer-1');
  const retries = ['--fetch-retries=10', '--fetch-retry-mintimeout=50', '--fetch-retry-factor=1'];
  const { code, output } = await npm(registry, folder, token, 'install', '--no-audit', ...retries, '@carton/cart');
  t.equal(code, 0, output);
  t.ok(refused >= 3, 'each request after the first was refused once');
});

/**
 * Guesses at promotion codes are limited by session and by address, and shut out nobody elsewhere with a right code.
 */
import { randomUUID } from 'node:crypto';
import { forgetAttempts, pretendMinutesAgo } from '@carton/auth/testing';
import { shopperWith } from '@carton/cart/testing';
import { createMember } from '@carton/member/testing';
import { type Caller, createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { createArticle, percent, promoteByCode } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic', trustProxy: 'loopback' });
const shirt = await createArticle(box, 5000);
await promoteByCode(box, 'RIGHT', { discount: percent(10) });
await promoteByCode(box, 'LATE', { discount: percent(10), endsAt: '2020-01-01' });
t.beforeEach(() => forgetAttempts(box));

/** Has the requests of a caller come from an address; null for that of a server with many shoppers. */
function at<Each extends Caller>(caller: Each, address: string | null): Each {
  if (address !== null) caller.headers['x-forwarded-for'] = address;
  return caller;
}
const shopperAt = async (address: string | null) => at(await shopperWith(box, [shirt, 1]), address);
const enter = (shopper: Caller, code: string) => shopper.post('/cart/promotions', { code });

let guesses = 0;
async function guess(shopper: Caller, times: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let time = 0; time < times; time++) statuses.push((await enter(shopper, `WRONG${++guesses}`)).status);
  return statuses;
}

const times = (count: number, status: number) => Array.from({ length: count }, () => status);

for (const address of ['203.0.113.5', null]) {
  t.test(`a session has ten guesses at ${address ?? 'a shared address'}, then growing waits`, async (t) => {
    const guesser = await shopperAt(address);
    t.strictSame(await guess(guesser, 14), [...times(10, 404), ...times(4, 429)]);
    const refused = await enter(guesser, 'RIGHT');
    t.match(refused, { status: 429, body: { code: 'too_many_requests' } }, 'a guesser does not learn which is right');
    t.ok(Number(refused.headers.get('retry-after')) > 0);
    await pretendMinutesAgo(box, 1);
    t.strictSame(await guess(guesser, 2), [404, 429], 'one more');
    const first = Number((await enter(guesser, 'X')).headers.get('retry-after'));
    await pretendMinutesAgo(box, 1);
    await guess(guesser, 1);
    t.ok(Number((await enter(guesser, 'X')).headers.get('retry-after')) > first, 'the wait grows');
    t.equal((await enter(await shopperAt(address), 'RIGHT')).status, 201, 'another shopper');
  });
}

t.test('new sessions have no more guesses than their address', async (t) => {
  const address = '203.0.113.6';
  const statuses: number[] = [];
  for (let session = 0; session < 8; session++) statuses.push(...(await guess(await shopperAt(address), 5)));
  t.strictSame(statuses, [...times(30, 404), ...times(10, 429)]);
  t.equal((await enter(await shopperAt('203.0.113.7'), 'RIGHT')).status, 201, 'another address');
  const member = at(await createMember(box, {}), address);
  t.equal((await enter(member, 'RIGHT')).status, 201, 'a member at the same address');
  t.strictSame(await guess(member, 11), [...times(10, 404), 429], 'who has guesses of their own');
  await pretendMinutesAgo(box, 1);
  t.equal((await enter(await shopperAt(address), 'RIGHT')).status, 201, 'a guest there, a minute later');
});

t.test('codes that exist are no guesses', async (t) => {
  const shopper = await shopperAt('203.0.113.8');
  for (let time = 0; time < 15; time++) t.equal((await enter(shopper, 'RIGHT')).status, 201);
  for (let time = 0; time < 15; time++) t.equal((await enter(shopper, 'LATE')).status, 409);
  t.strictSame(await guess(shopper, 1), [404]);
  // From now on they are counted before they are looked up.
  for (let time = 0; time < 15; time++) t.equal((await enter(shopper, 'RIGHT')).status, 201);
  for (let time = 0; time < 15; time++) t.equal((await enter(shopper, 'LATE')).status, 409);
  t.strictSame(await guess(shopper, 10), [...times(9, 404), 429]);
});

t.test('a code too many is no guess, if it exists', async (t) => {
  const shopper = await shopperAt('203.0.113.11');
  for (let at = 0; at < 12; at++) await promoteByCode(box, `MANY${at}`, { discount: percent(1) });
  const statuses: number[] = [];
  for (let at = 0; at < 12; at++) statuses.push((await enter(shopper, `MANY${at}`)).status);
  t.strictSame(statuses, [...times(10, 201), 409, 409]);
  t.strictSame(await guess(shopper, 11), [...times(10, 404), 429], 'and an unknown one is unknown');
});

t.test('an Idempotency-Key with each guess changes nothing', async (t) => {
  const shopper = await shopperAt('203.0.113.10');
  const enterWithKey = (code: string) => {
    shopper.headers['idempotency-key'] = randomUUID();
    return enter(shopper, code);
  };
  const statusesOf = async (codes: readonly string[]) => {
    const statuses: number[] = [];
    for (const code of codes) statuses.push((await enterWithKey(code)).status);
    return statuses;
  };
  const known = ['RIGHT', ...times(12, 0).map(() => 'LATE')];
  t.strictSame(await statusesOf(known), [201, ...times(12, 409)], 'codes that exist are no guesses');
  const unknown = times(14, 0).map((_, at) => `UNKNOWN${at}`);
  t.strictSame(await statusesOf(unknown.slice(0, 5)), times(5, 404));
  t.strictSame(await statusesOf(['LATE', 'RIGHT']), [409, 201], 'nor between guesses');
  t.strictSame(await statusesOf(unknown.slice(5)), [...times(5, 404), ...times(4, 429)]);
  t.equal((await enterWithKey('RIGHT')).status, 429);
  t.strictSame(
    (await shopper.get('/cart')).body.promotions.map(({ code }: { code: string }) => code),
    ['RIGHT'],
  );
});

t.test('guesses at once are one too many at most', async (t) => {
  const shopper = await shopperAt('203.0.113.9');
  const statuses = (await Promise.all(times(30, 0).map(() => guess(shopper, 1)))).flat();
  const looked = statuses.filter((status) => status === 404).length;
  t.ok(looked <= 11, `${looked} of 30 were looked up`);
  t.equal((await enter(shopper, 'RIGHT')).status, 429);
});

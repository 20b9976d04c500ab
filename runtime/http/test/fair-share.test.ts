/**
 * Whose request begins while one tenant's cost a lot.
 */
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { FairShare, type WaitObserver } from '../fair-share.ts';

const response = () => new EventEmitter() as ServerResponse;

/** Requests that end at `end`, after so many milliseconds of processor time. */
function setUp(waiting?: number) {
  let milliseconds = 0;
  const share = new FairShare({ computed: () => milliseconds, ...(waiting !== undefined && { waiting }) });
  const begun: string[] = [];
  const observed: string[] = [];
  const observer: WaitObserver = {
    waits: () => observed.push('waits'),
    waited: (outcome, waited) => observed.push(`${outcome}${waited >= 0 ? '' : ' before'}`),
    refused: () => observed.push('refused'),
  };
  const request = (tenant: string, name: string, client = response()) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const work = () => {
      begun.push(name);
      return promise;
    };
    const ended = share.run(tenant, client, work, observer);
    ended.catch(() => undefined);
    const end = async (cost: number) => {
      milliseconds += cost;
      resolve();
      await ended;
    };
    const fail = async (cost: number) => {
      milliseconds += cost;
      reject(new Error('a fault of the handler'));
      await ended.catch(() => undefined);
    };
    return { client, ended, end, fail };
  };
  const untilBegun = async (count: number) => {
    while (begun.length < count) await sleep(5);
    return begun;
  };
  /** Makes a tenant's requests costly, while another has one too. */
  const makeCostly = async () => {
    await request('other', 'first of the other').end(1);
    await request('costly', 'first').end(50);
    // Until its pause has ended.
    await sleep(60);
    begun.splice(0);
  };
  return { request, begun, observed, untilBegun, makeCostly };
}

t.test('of requests that cost little, some are at work at the same time', async (t) => {
  const { request, begun } = setUp();
  await request('a', 'a1').end(1);
  await request('b', 'b1').end(1);
  begun.splice(0);
  const [first, second] = ['1', '2', '3', '4', '5', '6', '7', '8', '9'].map((name) => request('a', name));
  request('b', 'b2');
  t.strictSame(begun, ['1', '2', '3', '4', '5', '6', 'b2'], 'the others of this tenant wait');
  await first?.end(1);
  await second?.end(1);
  t.strictSame(begun.slice(7), ['7', '8'], 'without a pause');
});

t.test('of those that cost more, fewer', async (t) => {
  const { request, begun } = setUp();
  await request('b', 'b1').end(1);
  await request('a', 'a1').end(5);
  begun.splice(0);
  const [first] = ['1', '2', '3', '4'].map((name) => request('a', name));
  t.strictSame(begun, ['1', '2']);
  await first?.end(5);
  t.strictSame(begun, ['1', '2', '3'], 'without a pause');
});

t.test('however many begin at once where there is no other tenant', async (t) => {
  const { request, begun } = setUp();
  const names = Array.from({ length: 20 }, (_, number) => String(number));
  for (const name of names) request('a', name);
  t.strictSame(begun, names);
});

t.test('costly ones begin one after the other, and those of others at once', async (t) => {
  const { request, begun, untilBegun, makeCostly } = setUp();
  await makeCostly();
  const one = request('costly', '1');
  const two = request('costly', '2');
  request('costly', '3');
  const others = ['other 1', 'other 2'].map((name) => request('other', name));
  t.strictSame(begun, ['1', 'other 1', 'other 2']);
  for (const other of others) await other.end(1);
  await one.end(30);
  t.strictSame(begun, ['1', 'other 1', 'other 2'], 'the next one begins after a pause');
  t.strictSame(await untilBegun(4), ['1', 'other 1', 'other 2', '2']);
  await two.end(30);
  t.strictSame(await untilBegun(5), ['1', 'other 1', 'other 2', '2', '3']);
});

t.test('while a request of another tenant is at work, those that cost some begin with pauses', async (t) => {
  const { request, begun, untilBegun } = setUp();
  const other = request('b', 'b1');
  await request('a', 'a1').end(7);
  await sleep(10);
  begun.splice(0);
  const [one, two] = ['1', '2', '3'].map((name) => request('a', name));
  t.strictSame(begun, ['1']);
  await one?.end(7);
  t.strictSame(begun, ['1'], 'the next one begins after a pause');
  t.strictSame(await untilBegun(2), ['1', '2']);
  await other.end(1);
  await two?.end(7);
  t.strictSame(begun, ['1', '2', '3'], 'without a pause once it has ended');
});

t.test('a pause lasts longer than the time between two looks at what waits', async (t) => {
  const { request, begun, untilBegun, makeCostly } = setUp();
  await makeCostly();
  const one = request('costly', '1');
  request('costly', '2');
  await one.end(180);
  // Timers fire in the order in which they are due, however late.
  await sleep(130);
  t.strictSame(begun, ['1']);
  t.strictSame(await untilBegun(2), ['1', '2']);
});

t.test('what cost a lot is forgotten after some that did not', async (t) => {
  const { request, begun, makeCostly } = setUp();
  await makeCostly();
  for (let count = 0; count < 30; count++) await request('costly', 'cheap').end(1);
  begun.splice(0);
  for (const name of ['1', '2']) request('costly', name);
  t.strictSame(begun, ['1', '2']);
});

t.test('costly ones delay nobody where there is no other tenant', async (t) => {
  const { request, begun } = setUp();
  await request('costly', '1').end(50);
  for (const name of ['2', '3']) request('costly', name);
  t.strictSame(begun, ['1', '2', '3']);
});

t.test('nor once the other tenant is gone', async (t) => {
  const { request, untilBegun, makeCostly } = setUp();
  await makeCostly();
  for (const name of ['1', '2', '3']) request('costly', name);
  t.strictSame(await untilBegun(3), ['1', '2', '3'], 'although the first has not ended');
});

t.test('a request whose client has gone does not begin', async (t) => {
  const { request, begun, untilBegun, makeCostly } = setUp();
  await makeCostly();
  const one = request('costly', '1');
  const two = request('costly', '2');
  request('costly', '3');
  two.client.emit('close');
  const outcome = two.ended.then(
    () => 'served',
    ({ type }) => type.code,
  );
  t.equal(await Promise.race([outcome, sleep(1000, 'nothing')]), 'unavailable');
  await one.end(20);
  t.strictSame(await untilBegun(2), ['1', '3']);
  t.equal(begun.includes('2'), false);
});

t.test('no more wait than may', async (t) => {
  const { request, makeCostly } = setUp(2);
  await makeCostly();
  for (const name of ['1', '2', '3']) request('costly', name);
  const refusal = await request('costly', '4').ended.catch((error) => error);
  t.match(refusal, { type: { code: 'unavailable' }, headers: { 'Retry-After': '5' } });
});

t.test('clients that go while they wait, and faults of handlers, give their turns back', async (t) => {
  const { request, begun, observed, untilBegun, makeCostly } = setUp(3);
  await makeCostly();
  const one = request('costly', '1');
  const [two, three] = [request('costly', '2'), request('costly', '3')];
  request('costly', '4');
  t.match(await request('costly', '5').ended.catch((error) => error), { type: { code: 'unavailable' } });
  two.client.emit('close');
  t.match(await two.ended.catch((error) => error), { message: /closed the connection/ });
  request('costly', '6');
  t.strictSame(begun, ['1'], 'the place of the one that has gone is free, and no turn was used up');
  await one.fail(30);
  t.strictSame(await untilBegun(2), ['1', '3'], 'after a fault the next one begins');
  await three.fail(30);
  t.strictSame(await untilBegun(3), ['1', '3', '4']);
  t.strictSame(observed, ['waits', 'waits', 'waits', 'refused', 'closed', 'waits', 'begun', 'begun']);
});

t.test('a request whose client has gone before it would wait does not wait', async (t) => {
  const { request, begun, observed, makeCostly } = setUp();
  await makeCostly();
  request('costly', '1');
  const gone = Object.assign(response(), { destroyed: true });
  t.match(await request('costly', '2', gone).ended.catch((error) => error), { message: /closed the connection/ });
  t.strictSame([begun, observed], [['1'], []]);
});

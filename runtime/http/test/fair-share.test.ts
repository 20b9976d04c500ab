/**
 * Whose request begins while one tenant's cost a lot.
 */
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { FairShare } from '../fair-share.ts';

const response = () => new EventEmitter() as ServerResponse;

/** Requests that end at `end`, after so many milliseconds of processor time. */
function setUp(waiting?: number) {
  let milliseconds = 0;
  const share = new FairShare({ computed: () => milliseconds, ...(waiting !== undefined && { waiting }) });
  const begun: string[] = [];
  const request = (tenant: string, name: string, client = response()) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const ended = share.run(tenant, client, () => {
      begun.push(name);
      return promise;
    });
    ended.catch(() => undefined);
    const end = async (cost: number) => {
      milliseconds += cost;
      resolve();
      await ended;
    };
    return { client, ended, end };
  };
  const untilBegun = async (count: number) => {
    while (begun.length < count) await sleep(5);
    return begun;
  };
  /** Makes a tenant's requests costly, while another has one too. */
  const makeCostly = async () => {
    await request('costly', 'first').end(50);
    await request('other', 'first of the other').end(1);
    begun.splice(0);
  };
  return { request, begun, untilBegun, makeCostly };
}

t.test('requests that cost little begin at once, however many', async (t) => {
  const { request, begun } = setUp();
  await request('a', 'a1').end(9);
  await request('b', 'b1').end(1);
  for (const name of ['a2', 'a3', 'a4']) request('a', name);
  t.strictSame(begun, ['a1', 'b1', 'a2', 'a3', 'a4']);
});

t.test('costly ones begin one after the other, and those of others at once', async (t) => {
  const { request, begun, untilBegun, makeCostly } = setUp();
  await makeCostly();
  const one = request('costly', '1');
  const two = request('costly', '2');
  request('costly', '3');
  request('other', 'other 1');
  request('other', 'other 2');
  t.strictSame(begun, ['1', 'other 1', 'other 2']);
  await one.end(30);
  t.strictSame(await untilBegun(4), ['1', 'other 1', 'other 2', '2']);
  await two.end(30);
  t.strictSame(await untilBegun(5), ['1', 'other 1', 'other 2', '2', '3']);
});

t.test('what cost a lot is forgotten after some that did not', async (t) => {
  const { request, begun, makeCostly } = setUp();
  await makeCostly();
  for (let count = 0; count < 20; count++) await request('costly', 'cheap').end(1);
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

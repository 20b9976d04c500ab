/**
 * Restarts two boxes behind HAProxy, on one database, in turn while shoppers check out: no request fails, and every event
 * is delivered once and in order. Then it kills them in turn, which clients with an Idempotency-Key do not notice. Then it
 * measures the throughput of one box and of two.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '@carton/runtime/service';
import { freePort, missingPrograms } from '@carton/runtime/testing';
import { checkOut, prepareCarts } from '../../tools/load/checkouts.ts';
import { median } from '../../tools/load/measurement.ts';
import type { LoadTenant } from '../../tools/load/tenant.ts';
import { type RigBox, startRigBox } from '../support/box.ts';
import { failuresOf, newTally, sum, type Tally } from '../support/client.ts';
import { checkConsistency } from '../support/consistency.ts';
import { checkDeliveries, recorderPackage } from '../support/deliveries.ts';
import { startRigPostgres } from '../support/postgres.ts';
import { type Findings, type Rig, type Stage, skipWithout } from '../support/rig.ts';
import { type Behaviour, type Purchase, retryingBehaviours, sendShoppers } from '../support/shoppers.ts';
import { openTenants, stock } from '../support/tenants.ts';
import { type HaProxy, startHaProxy } from './haproxy.ts';

/** DRAIN_SECONDS of the boxes: HAProxy checks every second. */
const drainSeconds = '3';
const maxPause = 1000;

export const rig: Rig = {
  about: 'Restarts and kills two boxes behind HAProxy during checkouts: no request fails, events are delivered once.',
  options: {
    restarts: { about: 'restarts of each box', defaultValue: '10', short: '1' },
    kills: { about: 'kills of each box, with clients that send an Idempotency-Key', defaultValue: '5', short: '1' },
    shoppers: { about: 'concurrent shoppers', defaultValue: '12', short: '6' },
    tenants: { about: 'tenants', defaultValue: '2' },
    orders: { about: 'orders per measured round, 0 for none', defaultValue: '500', short: '0' },
  },
  timeLimit: (stage) => 300 + 60 * stage.number('restarts') + 40 * stage.number('kills') + stage.number('orders'),
  async run(stage) {
    skipWithout(missingPrograms('haproxy'));
    const postgres = await startRigPostgres(stage);
    stage.say('starting two boxes and HAProxy');
    const boxes = [await startBox(stage, 'box-1', postgres.url), await startBox(stage, 'box-2', postgres.url)] as const;
    const proxy = await startHaProxy(stage, ...boxes);
    for (const box of boxes) await proxy.untilSees(box, 'UP');
    const tenants = await openTenants(proxy.url, stage.number('tenants'));
    const runWithShoppers = (work: (failures: () => number) => Promise<void>, among?: readonly Behaviour[]) =>
      withShoppers(stage, proxy, tenants, work, among);

    const stopped = await runWithShoppers((failures) => restartInTurn(stage, boxes, proxy, failures));
    stage.say('waiting for the last events');
    const deliveries = await checkDeliveries(stage, postgres.url, { outsideTransaction: 'once', delivered: true });
    const killed = await runWithShoppers((failures) => killInTurn(stage, boxes, proxy, failures), retryingBehaviours);
    stage.say('checking consistency');
    const purchases = [...stopped.purchases, ...killed.purchases];
    const records = await checkConsistency(postgres.url, tenants, purchases, stock);
    const rates = await compare(stage, boxes, proxy, postgres.url, tenants[0] as LoadTenant);
    return {
      broken: [
        ...faultsOf('a box was stopped', stopped.tally),
        ...faultsOf('a box was killed', killed.tally),
        ...records.broken,
        ...deliveries.broken,
      ],
      counts: {
        restarts: boxes.length * stage.number('restarts'),
        kills: boxes.length * stage.number('kills'),
        purchases: purchases.length,
        requests: stopped.tally.requests + killed.tally.requests,
        failed: failed(stopped.tally) + failed(killed.tally),
        longestRequestMs: Math.round(Math.max(stopped.tally.longest, killed.tally.longest)),
        ...records.counts,
        ...deliveries.counts,
        ...rates,
      },
    };
  },
};

/** Runs the work while shoppers use HAProxy; waits until they have finished. */
async function withShoppers(
  stage: Stage,
  { url }: HaProxy,
  tenants: readonly LoadTenant[],
  work: (failures: () => number) => Promise<void>,
  among?: readonly Behaviour[],
): Promise<{ tally: Tally; purchases: readonly Purchase[] }> {
  const tally = newTally();
  const shoppers = sendShoppers({
    urls: [url],
    tenants,
    shoppers: stage.number('shoppers'),
    tally,
    thinkTime: 30,
    among,
  });
  await work(() => failed(tally));
  await shoppers.stop();
  return { tally, purchases: shoppers.purchases };
}

async function startBox(stage: Stage, name: string, databaseUrl: string): Promise<RigBox> {
  const port = await freePort();
  const environment = { DRAIN_SECONDS: drainSeconds, TRUST_PROXY: 'loopback' };
  return startRigBox(stage, { name, port, databaseUrl, packages: recorderPackage, environment });
}

async function restartInTurn(
  stage: Stage,
  boxes: readonly RigBox[],
  proxy: HaProxy,
  failures: () => number,
): Promise<void> {
  const rounds = stage.number('restarts');
  for (let round = 1; round <= rounds; round++) {
    for (const box of boxes) {
      await sleep(Math.random() * maxPause);
      await box.stop();
      await box.start();
      await proxy.untilSees(box, 'UP');
      stage.say(`restart ${round} of ${rounds} of ${box.name}; ${failures()} requests failed so far`);
    }
  }
}

async function killInTurn(
  stage: Stage,
  boxes: readonly RigBox[],
  proxy: HaProxy,
  failures: () => number,
): Promise<void> {
  const rounds = stage.number('kills');
  for (let round = 1; round <= rounds; round++) {
    for (const box of boxes) {
      await sleep(Math.random() * maxPause);
      await box.untilServes(await box.kill());
      await proxy.untilSees(box, 'UP');
      stage.say(`kill ${round} of ${rounds} of ${box.name}; ${failures()} requests failed so far`);
    }
  }
}

function faultsOf(when: string, tally: Tally): string[] {
  const failures = failuresOf(tally);
  const what = JSON.stringify(Object.fromEntries(failures));
  return [...(sum(failures) > 0 ? [`${sum(failures)} requests failed when ${when}: ${what}`] : []), ...tally.broken];
}

const failed = (tally: Tally) => sum(failuresOf(tally));

/** Measures orders per second through HAProxy, with one box and with two; nothing with `--orders 0`. */
async function compare(
  stage: Stage,
  [one, other]: readonly [RigBox, RigBox],
  proxy: HaProxy,
  databaseUrl: string,
  tenant: LoadTenant,
): Promise<Findings['counts']> {
  const orders = stage.number('orders');
  if (orders === 0) return {};
  const rounds = 3;
  const database = openDatabase({ url: databaseUrl });
  const sides = { oneBox: [] as number[], twoBoxes: [] as number[] };
  let next = 0;
  const measure = async (side: 'oneBox' | 'twoBoxes') => {
    // Round 0 is a warm-up.
    for (let round = 0; round <= rounds; round++) {
      const numbers = Array.from({ length: orders }, (_, index) => next + index);
      const tokenOf = await prepareCarts(database, { ...tenant, variants: tenant.variants.slice(0, 2) }, numbers);
      const rate = await checkOut(proxy.url, tokenOf, next, orders, () => tenant.tenantHeaders);
      next += orders;
      if (round > 0) sides[side].push(rate);
      stage.say(`${side}, ${round === 0 ? 'warm-up' : `round ${round} of ${rounds}`}: ${rate.toFixed(0)} orders/s`);
    }
  };
  try {
    await other.stop();
    await proxy.untilSees(other, 'DOWN');
    await measure('oneBox');
    await other.start();
    for (const box of [one, other]) await proxy.untilSees(box, 'UP');
    await measure('twoBoxes');
  } finally {
    await database.close();
  }
  return {
    ordersPerSecondOneBox: Math.round(median(sides.oneBox)),
    ordersPerSecondTwoBoxes: Math.round(median(sides.twoBoxes)),
  };
}

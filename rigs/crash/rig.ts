/**
 * Kills the box and crashes its PostgreSQL repeatedly while shoppers check out. It must recover without help. Then the
 * database is compared with the responses: each confirmed order is there once, and nothing else is.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@carton/runtime/testing';
import { median } from '../../tools/load/measurement.ts';
import { type RigBox, startRigBox } from '../support/box.ts';
import { newTally, sum, type Tally } from '../support/client.ts';
import { checkConsistency } from '../support/consistency.ts';
import { checkDeliveries, recorderPackage } from '../support/deliveries.ts';
import { crashPostgres, startRigPostgres, urlOfEmbedded } from '../support/postgres.ts';
import type { Findings, Rig, Stage } from '../support/rig.ts';
import { type Purchase, sendShoppers } from '../support/shoppers.ts';
import { openTenants, stock } from '../support/tenants.ts';

/** Most orders between two faults: each fault must hit a box that is in use. */
const maxOrdersBetween = 10;
/** Milliseconds within which a serving box must place the next orders. */
const progressTimeout = 60_000;

export const rig: Rig = {
  about: 'Kills the box and crashes PostgreSQL during checkouts, and checks consistency at the end.',
  options: {
    kills: { about: 'kill -9 of the box', defaultValue: '50', short: '4' },
    crashes: { about: 'immediate restarts of PostgreSQL', defaultValue: '10', short: '2' },
    tenants: { about: 'tenants on the box', defaultValue: '3', short: '2' },
    shoppers: { about: 'concurrent shoppers', defaultValue: '12', short: '6' },
    database: {
      about: 'the PostgreSQL that the box starts, or a separate one',
      defaultValue: 'embedded',
      oneOf: ['embedded', 'separate'],
    },
  },
  timeLimit: (stage) => 120 + 15 * (stage.number('kills') + stage.number('crashes')),
  async run(stage) {
    const separate = stage.word('database') === 'separate' ? await startRigPostgres(stage) : null;
    stage.say('starting a box');
    const box = await startRigBox(stage, {
      name: 'box',
      port: await freePort(),
      databaseUrl: separate?.url,
      packages: recorderPackage,
    });
    stage.say(`the box serves at ${box.url}; creating tenants`);
    const databaseFolder = separate?.folder ?? box.databaseFolder;
    const tenants = await openTenants(box.url, stage.number('tenants'));
    const tally = newTally();
    const shoppers = sendShoppers({
      urls: [box.url],
      tenants,
      shoppers: stage.number('shoppers'),
      tally,
      thinkTime: 40,
    });
    const recoveries = await injectFaults(stage, box, databaseFolder, () => ordersOf(shoppers.purchases));
    stage.say('waiting for the last shoppers');
    await shoppers.stop();
    stage.say('checking consistency, and waiting for the last events');
    const url = separate?.url ?? (await urlOfEmbedded(databaseFolder));
    const records = await checkConsistency(url, tenants, shoppers.purchases, stock);
    // Deliveries of a killed box wait a minute for their lease to expire. The short form does not wait for them.
    const deliveries = await checkDeliveries(stage, url, {
      outsideTransaction: 'at least once',
      delivered: !stage.short,
    });
    return {
      broken: [...tally.broken, ...records.broken, ...deliveries.broken],
      counts: { ...countsOf(shoppers.purchases, tally, recoveries), ...records.counts, ...deliveries.counts },
    };
  },
};

/** Milliseconds until the box served again, for each kill and each crash. */
interface Recoveries {
  kills: number[];
  crashes: number[];
}

/** Kills and crashes in mixed order, each after some orders. */
async function injectFaults(
  stage: Stage,
  box: RigBox,
  databaseFolder: string,
  orders: () => number,
): Promise<Recoveries> {
  const recoveries: Recoveries = { kills: [], crashes: [] };
  const kills = stage.number('kills');
  const crashes = stage.number('crashes');
  const all = kills + crashes;
  for (let number = 0; number < all; number++) {
    await untilOrders(stage, orders, orders() + Math.ceil(Math.random() * maxOrdersBetween));
    // Crashes are spread evenly among kills.
    const isCrash = Math.floor(((number + 1) * crashes) / all) > Math.floor((number * crashes) / all);
    const milliseconds = isCrash ? await crash(stage, box, databaseFolder) : await kill(box);
    recoveries[isCrash ? 'crashes' : 'kills'].push(milliseconds);
    const what = isCrash ? 'PostgreSQL crashed' : 'box killed';
    stage.say(
      `${number + 1} of ${all}: ${what}, served again after ${milliseconds.toFixed(0)} ms; ${orders()} orders so far`,
    );
  }
  return recoveries;
}

async function untilOrders(stage: Stage, orders: () => number, target: number): Promise<void> {
  const until = Date.now() + progressTimeout;
  while (orders() < target) {
    stage.signal.throwIfAborted();
    if (Date.now() > until) throw new Error(`the box serves, but places no orders: ${orders()} of ${target}`);
    await sleep(Math.random() * 20);
  }
}

async function kill(box: RigBox): Promise<number> {
  return box.untilServes(await box.kill());
}

async function crash(stage: Stage, box: RigBox, databaseFolder: string): Promise<number> {
  const away = await crashPostgres(stage, databaseFolder);
  return away + (await box.untilServes());
}

const ordersOf = (purchases: readonly Purchase[]) => purchases.filter(({ placed }) => placed.length > 0).length;

function countsOf(purchases: readonly Purchase[], tally: Tally, { kills, crashes }: Recoveries): Findings['counts'] {
  const ends = Map.groupBy(purchases, ({ end }) => end);
  const ended = (end: Purchase['end']) => ends.get(end)?.length ?? 0;
  return {
    kills: kills.length,
    crashes: crashes.length,
    purchases: purchases.length,
    ordersConfirmed: ended('ordered'),
    foundCartOrdered: ended('already ordered'),
    leftCart: ended('abandoned'),
    requests: tally.requests,
    connectionsRefused: tally.refused,
    responsesLost: sum(tally.lost),
    answeredUnavailable: tally.statuses.get(503) ?? 0,
    longestRequestMs: Math.round(tally.longest),
    ...recoveryCounts('Kill', kills),
    ...recoveryCounts('Crash', crashes),
  };
}

function recoveryCounts(fault: string, milliseconds: readonly number[]): Findings['counts'] {
  if (milliseconds.length === 0) return {};
  return {
    [`medianMsAfter${fault}`]: Math.round(median(milliseconds)),
    [`worstMsAfter${fault}`]: Math.round(Math.max(...milliseconds)),
  };
}

/**
 * The box is killed and its PostgreSQL crashed, again and again, while shoppers check out; nobody helps. Then the books
 * are held: what shoppers were told stands in the database, once, and nothing else does.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@carton/runtime/testing';
import { median } from '../tools/load/measurement.ts';
import { holdBooks } from './books.ts';
import { type RigBox, startRigBox } from './box.ts';
import { newTally, sum, type Tally } from './client.ts';
import { holdDeliveries, recorderPackage } from './deliveries.ts';
import { crashPostgres, startRigPostgres, urlOfEmbedded } from './postgres.ts';
import type { Findings, Rig, Stage } from './rig.ts';
import { type Purchase, sendShoppers } from './shoppers.ts';
import { openTenants, stock } from './trade.ts';

/** So many orders are placed before each blow, at most, so that it falls into trade. */
const mostOrdersBetween = 10;
/** Milliseconds within which a box that serves has to place one more. */
const longestStandstill = 60_000;

export const rig: Rig = {
  about: 'Kills the box and crashes PostgreSQL under checkouts, and holds the books at the end.',
  options: {
    kills: { about: 'kill -9 of the box', usual: '50', short: '4' },
    crashes: { about: 'immediate restarts of PostgreSQL', usual: '10', short: '2' },
    tenants: { about: 'tenants on the box', usual: '3', short: '2' },
    shoppers: { about: 'shoppers at once', usual: '12', short: '6' },
    database: {
      about: 'the PostgreSQL that the box runs, or one that runs by itself',
      usual: 'embedded',
      oneOf: ['embedded', 'separate'],
    },
  },
  longest: (stage) => 120 + 15 * (stage.number('kills') + stage.number('crashes')),
  async run(stage) {
    const separate = stage.word('database') === 'separate' ? await startRigPostgres(stage) : null;
    stage.say('starting a box');
    const box = await startRigBox(stage, {
      name: 'box',
      port: await freePort(),
      databaseUrl: separate?.url,
      packages: recorderPackage,
    });
    stage.say(`the box serves at ${box.url}; opening shops`);
    const databaseFolder = separate?.folder ?? box.databaseFolder;
    const tenants = await openTenants(box.url, stage.number('tenants'));
    const tally = newTally();
    const shoppers = sendShoppers({
      urls: [box.url],
      tenants,
      shoppers: stage.number('shoppers'),
      tally,
      thinking: 40,
    });
    const blows = await strike(stage, box, databaseFolder, () => ordersOf(shoppers.purchases));
    stage.say('the last shoppers end what they began');
    await shoppers.stop();
    stage.say('holding the books, and waiting for the last events');
    const url = separate?.url ?? (await urlOfEmbedded(databaseFolder));
    const books = await holdBooks(url, tenants, shoppers.purchases, stock);
    // What a killed box was delivering waits a minute for its claim to end, which the short form does not sit out.
    const deliveries = await holdDeliveries(stage, url, {
      outsideTransaction: 'at least once',
      delivered: !stage.short,
    });
    return {
      broken: [...tally.broken, ...books.broken, ...deliveries.broken],
      counts: { ...countsOf(shoppers.purchases, tally, blows), ...books.counts, ...deliveries.counts },
    };
  },
};

/** Milliseconds until the box served again, for each kill and each crash. */
interface Blows {
  kills: number[];
  crashes: number[];
}

/** Kills and crashes in a mixed order, each after some trade. */
async function strike(stage: Stage, box: RigBox, databaseFolder: string, orders: () => number): Promise<Blows> {
  const blows: Blows = { kills: [], crashes: [] };
  const kills = stage.number('kills');
  const crashes = stage.number('crashes');
  const all = kills + crashes;
  for (let number = 0; number < all; number++) {
    await untilOrders(stage, orders, orders() + Math.ceil(Math.random() * mostOrdersBetween));
    // The crashes are spread evenly among the kills.
    const isCrash = Math.floor(((number + 1) * crashes) / all) > Math.floor((number * crashes) / all);
    const milliseconds = isCrash ? await crash(stage, box, databaseFolder) : await kill(box);
    blows[isCrash ? 'crashes' : 'kills'].push(milliseconds);
    const what = isCrash ? 'PostgreSQL crashed' : 'box killed';
    stage.say(
      `${number + 1} of ${all}: ${what}, served again after ${milliseconds.toFixed(0)} ms; ${orders()} orders so far`,
    );
  }
  return blows;
}

async function untilOrders(stage: Stage, orders: () => number, wanted: number): Promise<void> {
  const until = Date.now() + longestStandstill;
  while (orders() < wanted) {
    stage.signal.throwIfAborted();
    if (Date.now() > until) throw new Error(`the box serves, but places no orders: ${orders()} of ${wanted}`);
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

function countsOf(purchases: readonly Purchase[], tally: Tally, { kills, crashes }: Blows): Findings['counts'] {
  const ends = Map.groupBy(purchases, ({ end }) => end);
  const ended = (end: Purchase['end']) => ends.get(end)?.length ?? 0;
  return {
    kills: kills.length,
    crashes: crashes.length,
    purchases: purchases.length,
    toldOfOrder: ended('ordered'),
    foundCartOrdered: ended('gone'),
    leftCart: ended('kept'),
    requests: tally.requests,
    connectionsRefused: tally.refused,
    answersLost: sum(tally.lost),
    answeredUnavailable: tally.statuses.get(503) ?? 0,
    longestRequestMs: Math.round(tally.longest),
    ...servedAgain('Kill', kills),
    ...servedAgain('Crash', crashes),
  };
}

function servedAgain(blow: string, milliseconds: readonly number[]): Findings['counts'] {
  if (milliseconds.length === 0) return {};
  return {
    [`medianMsAfter${blow}`]: Math.round(median(milliseconds)),
    [`worstMsAfter${blow}`]: Math.round(Math.max(...milliseconds)),
  };
}

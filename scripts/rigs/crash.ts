/**
 * The box is killed and its PostgreSQL crashed, again and again, while shoppers check out; nobody helps. Then the books
 * are held: what shoppers were told stands in the database, once, and nothing else does.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@carton/runtime/testing';
import { median } from '../../bench/measurement.ts';
import { openShopAt, type Shop } from '../../bench/shop.ts';
import { holdBooks } from './books.ts';
import { type RigBox, secrets, startRigBox } from './box.ts';
import { newTally, type Tally } from './client.ts';
import { crashPostgres, startRigPostgres, urlOfEmbedded } from './postgres.ts';
import type { Findings, Rig, Stage } from './rig.ts';
import { type Purchase, sendShoppers } from './shoppers.ts';

const stock = 1_000_000;
const products = 8;
/** Milliseconds of trade before each blow, at most. */
const longestTrade = 1500;

export const rig: Rig = {
  about: 'Kills the box and crashes PostgreSQL under checkouts, and holds the books at the end.',
  options: {
    kills: { about: 'kill -9 of the box', usual: '50', short: '4' },
    crashes: { about: 'immediate restarts of PostgreSQL', usual: '10', short: '2' },
    tenants: { about: 'shops on the box', usual: '3', short: '2' },
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
    const box = await startRigBox(stage, { name: 'box', port: await freePort(), databaseUrl: separate?.url });
    const databaseFolder = separate?.folder ?? box.databaseFolder;
    const shops = await openShops(box.url, stage.number('tenants'));
    const tally = newTally();
    const shoppers = sendShoppers({
      urls: [box.url],
      shops,
      shoppers: stage.number('shoppers'),
      tally,
      thinking: 40,
    });
    const blows = await strike(stage, box, databaseFolder, () => ordersOf(shoppers.purchases));
    stage.say('the last shoppers end what they began');
    await shoppers.stop();
    stage.say('holding the books');
    const books = await holdBooks(
      separate?.url ?? (await urlOfEmbedded(databaseFolder)),
      shops,
      shoppers.purchases,
      stock,
    );
    return {
      broken: [...tally.broken, ...books.broken],
      counts: { ...countsOf(shoppers.purchases, tally, blows), ...books.counts },
    };
  },
};

async function openShops(url: string, count: number): Promise<Shop[]> {
  const shops: Shop[] = [];
  for (let number = 1; number <= count; number++) {
    shops.push(await openShopAt(url, { secrets, slug: `shop-${number}`, products, stock }));
  }
  return shops;
}

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
    stage.signal.throwIfAborted();
    await sleep(Math.random() * longestTrade);
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
    connectionsLost: tally.lost,
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
